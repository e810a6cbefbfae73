/*
 * export.h - the export of a person's data: a ZIP of a FHIR Bundle (R4) and the person's documents.
 *
 * A row of `export` is a job until its file is there. An instance takes it with a lease and begins
 * anew, so a docd that is killed costs an attempt and nothing else: export_job.c. The file is
 * sealed (sealed_file.h) and lies in the store as an object that is swept when the export expires;
 * its key is in the row, sealed, so the file is of no use once the row is gone.
 *
 * An export is of one project: what a practitioner has in others is asked for there.
 */
#ifndef ATRIUM_DOCD_EXPORT_EXPORT_H
#define ATRIUM_DOCD_EXPORT_EXPORT_H

#include "docd/docd.h"

#define EXPORT_KEY_PURPOSE "export key" /* what keys of files are sealed for */
#define EXPORT_TYPE "Export"            /* what the audit trail calls one */

enum {
    EXPORT_DAILY = 3, /* of one account, for one who asks; those that failed do not count */
    EXPORT_PERIOD_MS = 1000,
};

/* ---- export_job.c ---- */

/* Makes due exports, mails that they are ready, removes expired ones; a run of service_every().
 * Parks. */
int export_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* ---- export.c ---- */

/* True for an export's handle of content_read; reads a piece of it. ERR_NOT_FOUND: it has expired,
 * or the account is gone. Parks. */
bool export_is_handle(const char *handle);
int export_read(struct docd *d, const struct request *req, const struct content_read_in *in,
                struct content_read_out *out, struct error *err) MUST_USE;

#endif
