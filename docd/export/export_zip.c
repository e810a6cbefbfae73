/* export_zip.c - see export_zip.h. */
#include "docd/export/export_zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

struct entry {
    struct export_zip *zip;
    export_source *read;
    void *arg;
    int64_t size, time_ms;
    zip_error_t error;
    struct entry *next;
};

struct export_zip {
    struct sealed_file *file;
    zip_t *archive;
    zip_error_t error;
    int64_t at;
    struct entry *entries;
    struct error *err;
};

/* ---- output ---- */

static zip_int64_t fail(zip_error_t *error, int code, int system)
{
    zip_error_set(error, code, system);
    return -1;
}

static zip_int64_t seek(struct export_zip *self, void *data, zip_uint64_t size)
{
    zip_int64_t to = zip_source_seek_compute_offset((zip_uint64_t)self->at,
                                                    (zip_uint64_t)sealed_file_size(self->file),
                                                    data, size, &self->error);

    if (to < 0)
        return -1;
    self->at = to;
    return 0;
}

static zip_int64_t target(void *arg, void *data, zip_uint64_t size, zip_source_cmd_t command)
{
    struct export_zip *self = arg;

    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
            ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
            ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE,
            ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_STAT:
        return fail(&self->error, ZIP_ER_READ, ENOENT);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&self->error, data, size);
    case ZIP_SOURCE_SEEK:
    case ZIP_SOURCE_SEEK_WRITE:
        return seek(self, data, size);
    case ZIP_SOURCE_TELL:
    case ZIP_SOURCE_TELL_WRITE:
        return self->at;
    case ZIP_SOURCE_WRITE:
        if (sealed_file_write(self->file, self->at, data, size) < 0)
            return fail(&self->error, ZIP_ER_WRITE, errno);
        self->at += (int64_t)size;
        return (zip_int64_t)size;
    case ZIP_SOURCE_READ: {
        ssize_t count = sealed_file_read(self->file, self->at, data, size);

        if (count < 0)
            return fail(&self->error, ZIP_ER_READ, errno);
        self->at += count;
        return count;
    }
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_BEGIN_WRITE:
        self->at = 0;
        return 0;
    case ZIP_SOURCE_COMMIT_WRITE:
        return sealed_file_flush(self->file) < 0 ? fail(&self->error, ZIP_ER_WRITE, errno) : 0;
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        return fail(&self->error, ZIP_ER_OPNOTSUPP, 0);
    }
}

struct export_zip *export_zip_new(struct sealed_file *file, struct error *err)
{
    struct export_zip *self = calloc(1, sizeof(*self));
    zip_source_t *source;

    if (!self)
        abort();
    self->file = file;
    zip_error_init(&self->error);
    source = zip_source_function_create(target, self, &self->error);
    if (source)
        self->archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &self->error);
    if (self->archive)
        return self;
    (void)error_set(err, ERR_INTERNAL, "An archive cannot be begun: %s",
                    zip_error_strerror(&self->error));
    zip_source_free(source);
    export_zip_destroy(&self);
    return NULL;
}

void export_zip_destroy(struct export_zip **self_p)
{
    struct export_zip *self = *self_p;

    *self_p = NULL;
    if (!self)
        return;
    if (self->archive)
        zip_discard(self->archive);
    while (self->entries) {
        struct entry *entry = self->entries;

        self->entries = entry->next;
        zip_error_fini(&entry->error);
        free(entry);
    }
    zip_error_fini(&self->error);
    free(self);
}

/* ---- input ---- */

static zip_int64_t read_entry(struct entry *entry, void *data, zip_uint64_t size)
{
    ssize_t count =
        entry->zip->err ? entry->read(entry->arg, data, (size_t)size, entry->zip->err) : -1;

    return count < 0 ? fail(&entry->error, ZIP_ER_READ, EIO) : count;
}

static zip_int64_t stat_entry(const struct entry *entry, zip_stat_t *ret)
{
    zip_stat_init(ret);
    ret->mtime = (time_t)(entry->time_ms / 1000);
    ret->valid = ZIP_STAT_MTIME;
    if (entry->size >= 0) {
        ret->size = (zip_uint64_t)entry->size;
        ret->valid |= ZIP_STAT_SIZE;
    }
    return sizeof(*ret);
}

static zip_int64_t source(void *arg, void *data, zip_uint64_t size, zip_source_cmd_t command)
{
    struct entry *entry = arg;

    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_SUPPORTS, ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
                                              ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                                              ZIP_SOURCE_FREE, -1);
    case ZIP_SOURCE_READ:
        return read_entry(entry, data, size);
    case ZIP_SOURCE_STAT:
        return size < sizeof(zip_stat_t) ? fail(&entry->error, ZIP_ER_INVAL, 0)
                                         : stat_entry(entry, data);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&entry->error, data, size);
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        return fail(&entry->error, ZIP_ER_OPNOTSUPP, 0);
    }
}

int export_zip_add(struct export_zip *self, const char *name, int64_t size, int64_t time_ms,
                   export_source *read, void *arg, struct error *err)
{
    struct entry *entry = calloc(1, sizeof(*entry));
    zip_int64_t index = -1;
    zip_source_t *from;

    if (!entry)
        abort();
    *entry = (struct entry){self, read, arg, size, time_ms, {0}, self->entries};
    zip_error_init(&entry->error);
    self->entries = entry;
    from = zip_source_function(self->archive, source, entry);
    if (from)
        index = zip_file_add(self->archive, name, from, ZIP_FL_ENC_UTF_8);
    if (index >= 0 && zip_set_file_compression(self->archive, (zip_uint64_t)index,
                                               size < 0 ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 1) == 0)
        return 0;
    if (index < 0)
        zip_source_free(from);
    return error_set(err, ERR_INTERNAL, "A file cannot be added to an archive: %s",
                     zip_strerror(self->archive));
}

int export_zip_write(struct export_zip *self, struct error *err)
{
    self->err = err;
    if (zip_close(self->archive) == 0) {
        self->archive = NULL;
        self->err = NULL;
        return 0;
    }
    self->err = NULL;
    if (err->code != ERR_NONE)
        return -1;
    return error_set(err, ERR_UNAVAILABLE, "An archive cannot be written: %s",
                     zip_strerror(self->archive));
}
