/*
 * tenant_bytes.c - documents' bytes, moved to another installation with their tenant.
 *
 * Rows are moved first (tenant.c) and marked as missing their bytes. The bytes follow in pieces to
 * an unfinished object; the hash makes it readable and removes the mark. An interrupted transfer
 * continues the unfinished object.
 */
#include "docd/bytes_api.h"
#include "docd/docd.h"
#include "docd/document/sniff.h"
#include "docd/sql/tenant.h"

static_assert((int)TENANT_BYTES_MAX == (int)STORE_PIECE, "a call has a piece");

static int find(struct docd *d, const struct request *req, struct uuid project, struct uuid object,
                struct sql_tenant_bytes_find_row *ret, struct error *err)
{
    const struct sql_tenant_bytes_find_in in = {.project = project, .object = object};

    return sql_tenant_bytes_find(d->svc.db, req, &in, ret, err);
}

static int lacking(struct error *err)
{
    error_clear(err);
    return error_set(err, ERR_NOT_FOUND, BYTES_MISSING);
}

int tenant_bytes_get(struct docd *d, const struct request *req,
                     const struct tenant_bytes_get_in *in, struct tenant_bytes_got *out,
                     struct error *err)
{
    struct sql_tenant_bytes_find_row row;
    struct store_key key = {in->projectId, in->objectId};
    int rows = find(d, req, in->projectId, in->objectId, &row, err);
    size_t wanted, size = 0;
    uint8_t *bytes;

    if (rows < 0)
        return -1;
    if (rows == 0 || row.missing || in->offset > row.size)
        return lacking(err);
    wanted = (size_t)MIN(row.size - in->offset, TENANT_BYTES_MAX);
    bytes = arena_alloc_raw(req->arena, wanted + 1);
    if (wanted > 0 &&
        d->store->functions->read(d->store, req, key, in->offset, bytes, wanted, &size, err) < 0)
        return err->code == ERR_NOT_FOUND ? lacking(err) : -1;
    if (size < wanted)
        return lacking(err);
    *out = (struct tenant_bytes_got){.size = row.size, .bytes = {bytes, wanted}};
    return 0;
}

/* Removes bytes whose document was deleted meanwhile. */
static int check_wanted(struct docd *d, const struct request *req,
                        const struct tenant_bytes_put_in *in, struct error *err)
{
    struct store_key key = {in->projectId, in->objectId};
    struct sql_tenant_bytes_find_row row;
    int rows = find(d, req, in->projectId, in->objectId, &row, err);

    if (rows != 0)
        return rows < 0 ? -1 : 0;
    if (d->store->functions->remove(d->store, req, key, err) < 0)
        return -1;
    return error_set(err, ERR_NOT_FOUND, "Document not found.");
}

static int keep(struct docd *d, const struct request *req, const struct tenant_bytes_put_in *in,
                int64_t size, struct error *err)
{
    struct sql_tenant_bytes_show_in show = {
        .project = in->projectId,
        .object = in->objectId,
        .size = size,
        .audit =
            audit_row(req, &(struct audit){.action = "document.found", .project = in->projectId})};
    struct store_key key = {in->projectId, in->objectId};
    struct stored stored;

    if (d->store->functions->keep(d->store, req, key, size, in->hash, &stored, err) < 0 ||
        sniff(d->sniffer, req, stored.head, &show.found_type, err) < 0)
        return -1;
    show.etag = stored.etag;
    return sql_tenant_bytes_show(d->svc.db, req, &show, err) < 0 ? -1 : 0;
}

int tenant_bytes_put(struct docd *d, const struct request *req,
                     const struct tenant_bytes_put_in *in, struct tenant_bytes_put_out *out,
                     struct error *err)
{
    struct sql_tenant_bytes_find_row row;
    struct store_key key = {in->projectId, in->objectId};
    int rows = find(d, req, in->projectId, in->objectId, &row, err);

    if (rows < 0)
        return -1;
    if (rows == 0)
        return error_set(err, ERR_NOT_FOUND, "Document not found.");
    if (!row.missing) {
        *out = (struct tenant_bytes_put_out){.have = row.size, .done = true};
        return 0;
    }
    if (in->offset > row.size - (int64_t)in->bytes.size)
        return error_set(err, ERR_CONFLICT, "The file has more bytes than its document says.");
    if (d->store->functions->append(d->store, req, key, in->offset, in->bytes, row.size, &out->have,
                                    err) < 0 ||
        (in->offset == 0 && check_wanted(d, req, in, err) < 0))
        return -1;
    if (!in->hash || out->have < row.size)
        return 0;
    out->done = keep(d, req, in, row.size, err) == 0;
    if (out->done || err->code != ERR_NOT_FOUND)
        return out->done ? 0 : -1;
    error_clear(err); /* another transfer dropped the bytes: start again */
    out->have = 0;
    return 0;
}
