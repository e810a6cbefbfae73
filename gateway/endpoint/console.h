/*
 * console.h - the console: a browser application below /console/, compiled into the program.
 *
 * web/console/build.sh makes the files. The console calls the same API as any client.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H
#define ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

struct exchange;

enum console_kind {
    CONSOLE_DOCUMENT, /* the HTML document, served at every path without a file */
    CONSOLE_PREVIEW,  /* the empty document in which CONSOLE_DOCUMENT frames an email */
    CONSOLE_ASSET,    /* named by its hash */
};

struct console_bytes {
    const char *bytes;
    size_t size;
};

struct console_file {
    const char *name; /* below /console/ */
    const char *content_type;
    enum console_kind kind;
    const char *hash; /* hex, of the uncompressed bytes */
    struct console_bytes plain, gzip, brotli;
};

/* Script sources that the document's policy allows: "'sha256-BASE64' ...". */
extern const struct console_file console_files[];
extern const size_t console_file_count;
extern const char console_scripts[], console_styles[];

/* Returns the file with this name below /console/. For unknown names: NULL below assets/, otherwise
 * the document. */
const struct console_file *console_find(const char *name);

/* Returns the file's Content-Security-Policy. `upload_origin`: another origin for uploads, "" or
 * NULL for none. */
const char *console_policy(const struct console_file *file, const char *upload_origin,
                           struct arena *arena);

void console_serve(struct exchange *exchange);

#endif
