/*
 * console.h - the console: an application in the browser below /console/, of files that the build
 * made (web/console/build.sh) and the program carries.
 *
 * It has no part in what a request may do: it calls the routes of the API as any client does.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H
#define ATRIUM_GATEWAY_ENDPOINT_CONSOLE_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

struct exchange;

enum console_kind {
    CONSOLE_DOCUMENT, /* the one HTML document; what is at every address without a file */
    CONSOLE_PREVIEW,  /* the empty document that a mail is shown in, framed by the other */
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
    const char *hash; /* hex, of the plain bytes */
    struct console_bytes plain, gzip, brotli;
};

/* Made by the build. Which scripts and styles the document's policy admits: "'sha256-BASE64' ...",
 * of the script in it and of each module. */
extern const struct console_file console_files[];
extern const size_t console_file_count;
extern const char console_scripts[], console_styles[];

/* The file of a name below /console/. Without a file of that name: NULL below assets/, else the
 * document. */
const struct console_file *console_find(const char *name);

/* The Content-Security-Policy of a file; the arena's, or static.
 * `upload_origin`: where documents are uploaded to besides the gateway, "" or NULL: nowhere. */
const char *console_policy(const struct console_file *file, const char *upload_origin,
                           struct arena *arena);

/* The endpoint. */
void console_serve(struct exchange *exchange);

#endif
