/* service_audit.c - a daemon's audit log in pages for atriumctl. */
#include "common/service/service_private.h"

/* Limits of a page: rows, and bytes of text before its last row. A gap is between two rows. */
enum { PAGE_ROWS = 1000, PAGE_BYTES = 1 << 20 };

static const struct field audit_page_in_rows[] = {
    FIELD_INT(struct audit_page_in, after, 0, INT64_MAX, 0, 0, "Rows behind this sequence number",
              "0"),
    FIELD_UUID(struct audit_page_in, project, 0, "Only of this project"),
};
FIELD_TABLE(audit_page_in);

static const struct field audit_page_out_rows[] = {
    FIELD_BOOL(struct audit_page_out, kept, false, 0, "This daemon has an audit trail"),
    FIELD_INT(struct audit_page_out, sequence, 0, INT64_MAX, 0, 0, "Of the end of the chain", "1"),
    FIELD_BYTES(struct audit_page_out, hash, 1024, 0, "Of the end of the chain"),
    FIELD_INT(struct audit_page_out, unsealed, 0, INT64_MAX, 0, 0, "Rows that wait for a place",
              "0"),
    FIELD_OBJECTS(struct audit_page_out, rows, audit_record, PAGE_ROWS, 0, "Rows in order"),
    FIELD_OBJECTS(struct audit_page_out, gaps, audit_gap, PAGE_ROWS + 1, 0,
                  "What was dropped between them"),
};
FIELD_TABLE(audit_page_out);

static size_t page_fit(const struct field_list *rows)
{
    const struct audit_record *row = rows->items;
    size_t bytes = 0, count = 0;

    while (count < rows->count && bytes < PAGE_BYTES) {
        bytes += strlen(row[count].event);
        bytes += row[count].entity ? strlen(row[count].entity) : 0;
        count++;
    }
    return count;
}

/* Reads the log's end first, so that all rows before it are among the rows or gaps. */
int audit_page(struct service *self, const struct request *req, const struct audit_page_in *in,
               struct audit_page_out *out, struct error *err)
{
    struct audit_state state;

    if (!self->audit)
        return 0;
    if (audit_chain_state(self->audit, req, &state, err) < 0 ||
        audit_chain_page(self->audit, req, in->project, in->after, PAGE_ROWS, &out->rows, err) <
            0 ||
        audit_chain_gaps(self->audit, req, in->after, PAGE_ROWS + 1, &out->gaps, err) < 0)
        return -1;
    out->kept = true;
    out->sequence = state.sequence;
    out->hash = state.hash;
    out->unsealed = state.unsealed;
    out->rows.count = page_fit(&out->rows);
    return 0;
}
