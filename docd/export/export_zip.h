/*
 * export_zip.h - writes a ZIP (libzip) into a sealed file. libzip pulls the entries' bytes, so no
 * file is in memory as a whole. Parks when a source does.
 */
#ifndef ATRIUM_DOCD_EXPORT_EXPORT_ZIP_H
#define ATRIUM_DOCD_EXPORT_EXPORT_ZIP_H

#include "docd/export/sealed_file.h"

struct export_zip;

/* Reads an entry's bytes: as many as fit, 0 at the end, -1 with err set. Can park. */
typedef ssize_t export_source(void *arg, uint8_t *bytes, size_t size, struct error *err);

/* The archive borrows `file`. export_zip_write() returns the errors of sources. */
struct export_zip *export_zip_new(struct sealed_file *file, struct error *err);
void export_zip_destroy(struct export_zip **self_p);

/* size -1: unknown, so it is compressed. arg must outlive the archive. */
int export_zip_add(struct export_zip *self, const char *name, int64_t size, int64_t time_ms,
                   export_source *read, void *arg, struct error *err) MUST_USE;

int export_zip_write(struct export_zip *self, struct error *err) MUST_USE;

#endif
