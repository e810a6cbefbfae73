/*
 * console.h - the browser applications at /docs and below /console/, compiled into the program.
 *
 * web/console/build.sh makes its files. It calls the same API as any client.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H
#define ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

struct exchange;

enum console_kind {
    CONSOLE_DOCUMENT,  /* served at every path without a file */
    CONSOLE_PREVIEW,   /* empty; CONSOLE_DOCUMENT frames it to show an email */
    CONSOLE_ASSET,     /* named by its hash */
    CONSOLE_REFERENCE, /* the API reference, at /docs */
};

struct console_bytes {
    const char *bytes;
    size_t size;
};

struct console_file {
    const char *name;
    const char *content_type;
    enum console_kind kind;
    const char *hash; /* hex */
    struct console_bytes plain, gzip, brotli;
};

extern const struct console_file console_files[];
extern const size_t console_file_count;
/* CSP sources of the two documents' scripts and styles: "'sha256-BASE64' ...". */
extern const char console_scripts[], console_styles[], reference_scripts[], reference_styles[];

/* Returns CONSOLE_DOCUMENT for unknown names, but NULL below assets/. */
const struct console_file *console_find(const char *name);

/* Returns a Content-Security-Policy. `upload_origin`: "" or NULL: uploads stay on this origin. */
const char *console_policy(const struct console_file *file, const char *upload_origin,
                           struct arena *arena);

void console_serve(struct exchange *exchange);

/* Serves the API reference: Swagger UI with /openapi.json. */
void reference_serve(struct exchange *exchange);

#endif
