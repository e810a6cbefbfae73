/*
 * export.h - exports a person's data in one project: a ZIP of a FHIR Bundle (R4) and documents.
 *
 * A row of `export` is a job until its file exists. An instance leases the job and starts it over,
 * so a crash costs an attempt (export_job.c). The file is a sealed object, swept when the export
 * expires; without the row, which has its key, it is useless.
 */
#ifndef ATRIUM_DOCD_EXPORT_EXPORT_H
#define ATRIUM_DOCD_EXPORT_EXPORT_H

#include "docd/docd.h"

#define EXPORT_KEY_PURPOSE "export key"
#define EXPORT_TYPE "Export"

enum {
    EXPORT_DAILY = 3, /* exports per account and requester, without failed ones */
    EXPORT_PERIOD_MS = 1000,
};

/* ---- export_job.c ---- */

/* Makes due exports, emails that they are ready, removes expired ones. A task of service_every().
 * Parks. */
int export_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* ---- export.c ---- */

/* True for an export's handle. export_read() reads a piece of the file and parks; ERR_NOT_FOUND:
 * the export has expired. */
bool export_is_handle(const char *handle);
int export_read(struct docd *d, const struct request *req, const struct content_read_in *in,
                struct content_read_out *out, struct error *err) MUST_USE;

#endif
