/* document_file.c - see document_file.h. */
#include "docd/document/document_file.h"

#include "docd/docd.h"
#include "docd/document_api.h"
#include "docd/sql/document.h"

static const struct field document_file_rows[] = {
    FIELD_UUID(struct document_file, project, FIELD_REQUIRED, "The project's id"),
    FIELD_UUID(struct document_file, id, FIELD_REQUIRED, "The document's id"),
    FIELD_UUID(struct document_file, object, 0, "The object's id"),
    FIELD_TEXT(struct document_file, etag, 0, 0, 0, "Of the bytes, their name and type",
               "5f0c4a52"),
    FIELD_INT(struct document_file, size, 0, 0, 0, 0, "How many bytes", "1000"),
    FIELD_TEXT(struct document_file, foundType, 0, 0, 0, "What the bytes are", "image/png"),
    FIELD_TEXT(struct document_file, fileName, 0, FILE_NAME_MAX, FIELD_REQUIRED, "Its name",
               "scan.png"),
    FIELD_TEXT(struct document_file, contentType, 0, MEDIA_TYPE_MAX, FIELD_REQUIRED,
               "What the form said", "image/png"),
    FIELD_TIME(struct document_file, lastUpdated, FIELD_REQUIRED, "When it was changed"),
    FIELD_BOOL(struct document_file, missing, false, 0, "The store does not have the bytes"),
    FIELD_BOOL(struct document_file, pending, false, 0, "A file may have come to the store"),
};
FIELD_TABLE(document_file);

struct file_item {
    struct batch_item item;
    const struct request *req;
    const struct uuid *id, *author;
    struct document_file *ret;
    int found;
};

static void read_row(const struct sql_document_file_get_row *row, struct file_item *item)
{
    struct arena *arena = item->req->arena;

    *item->ret = *row->file;
    item->ret->etag = arena_strdup(arena, row->file->etag);
    item->ret->foundType = arena_strdup(arena, row->file->foundType);
    item->ret->fileName = arena_strdup(arena, row->file->fileName);
    item->ret->contentType = arena_strdup(arena, row->file->contentType);
    item->found = 1;
}

static int read_batch(void *owner, const struct batch_item *own, struct batch_item *const *items,
                      size_t count, int64_t deadline_mono_ms, struct error *err)
{
    struct docd *d = owner;
    struct request req = *((const struct file_item *)own)->req;
    struct sql_document_file_get_in get = {
        .projects = db_array_new(req.arena, count, sizeof(struct uuid)),
        .ids = db_array_new(req.arena, count, sizeof(struct uuid)),
        .authors = db_array_new(req.arena, count, sizeof(struct uuid)),
        .direct = d->direct_uploads != NULL};
    struct sql_document_file_get_rows rows;

    for (size_t i = 0; i < count; i++) {
        const struct file_item *item = (const struct file_item *)items[i];

        db_array_add(&get.projects, item->req->caller->project.text);
        db_array_add(&get.ids, item->id->text);
        db_array_add(&get.authors, uuid_is_set(item->author) ? item->author->text : "null");
    }
    req.deadline_mono_ms = deadline_mono_ms;
    if (sql_document_file_get(d->svc.db, &req, &get, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        struct file_item *item = (struct file_item *)items[rows.items[i].number - 1];

        if (item)
            read_row(&rows.items[i], item);
    }
    return 0;
}

const struct batch_kind document_file_batch = {
    .run = read_batch, .items_max = 32, .running_max = 2};

int document_file_get(struct docd *d, const struct request *req, const struct uuid *id,
                      const struct uuid *author, struct document_file *ret, struct error *err)
{
    struct file_item own = {.req = req, .id = id, .author = author, .ret = ret};

    if (batch_run(&d->document_files, &own.item, req->deadline_mono_ms, err) < 0)
        return -1;
    return own.found;
}
