/*
 * export_zip.h - writes a ZIP (libzip) into a sealed file. libzip pulls the bytes of each entry
 * while it writes, so neither a file nor the archive is ever in memory as a whole; who calls parks
 * in between, as far as the sources do.
 */
#ifndef ATRIUM_DOCD_EXPORT_EXPORT_ZIP_H
#define ATRIUM_DOCD_EXPORT_EXPORT_ZIP_H

#include "docd/export/sealed_file.h"

struct export_zip;

/* Reads an entry's bytes: as many as fit, 0 at the end, -1 with err set. Can park. */
typedef ssize_t export_source(void *arg, uint8_t *bytes, size_t size, struct error *err);

/* Creates an archive in `file`, which outlives it. Errors of sources go to err of
 * export_zip_write(). */
struct export_zip *export_zip_new(struct sealed_file *file, struct error *err);
void export_zip_destroy(struct export_zip **self_p);

/* Adds an entry. size: -1 when unknown; it is compressed then. arg lives until the archive is
 * destroyed. */
int export_zip_add(struct export_zip *self, const char *name, int64_t size, int64_t time_ms,
                   export_source *read, void *arg, struct error *err) MUST_USE;

/* Reads all sources in the order they were added. */
int export_zip_write(struct export_zip *self, struct error *err) MUST_USE;

#endif
