/*
 * console.h - the console below /console/ and the API reference at /docs: browser applications, of
 * files in the program.
 *
 * Made by web/console/build.sh. It calls the routes of the API as any client does.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H
#define ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

struct exchange;

enum console_kind {
    CONSOLE_DOCUMENT,  /* the one HTML document; what is at every address without a file */
    CONSOLE_PREVIEW,   /* the empty document that a mail is shown in, framed by the other */
    CONSOLE_ASSET,     /* named by its hash */
    CONSOLE_REFERENCE, /* the API reference, at /docs */
};

struct console_bytes {
    const char *bytes;
    size_t size;
};

struct console_file {
    const char *name; /* below /console/ */
    const char *content_type;
    enum console_kind kind;
    const char *hash; /* hex, of the plain bytes */
    struct console_bytes plain, gzip, brotli;
};

/* The sources that the policies of the two documents admit: "'sha256-BASE64' ...". */
extern const struct console_file console_files[];
extern const size_t console_file_count;
extern const char console_scripts[], console_styles[], reference_scripts[], reference_styles[];

/* The file of a name below /console/. Without a file of that name: NULL below assets/, else the
 * document. */
const struct console_file *console_find(const char *name);

/* A file's Content-Security-Policy. `upload_origin`: other origin of uploads, "" or NULL: none. */
const char *console_policy(const struct console_file *file, const char *upload_origin,
                           struct arena *arena);

void console_serve(struct exchange *exchange);

/* The API reference: Swagger UI with /openapi.json. */
void reference_serve(struct exchange *exchange);

#endif
