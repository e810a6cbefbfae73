/* console.c - see console.h. */
#include "gateway/endpoint/console.h"

#include "gateway/endpoint/exchange.h"
#include "gateway/http/encode.h"

#define ASSETS "assets/"

static const struct console_file *file_of(enum console_kind kind)
{
    const struct console_file *file = console_files;

    while (file->kind != kind)
        file++;
    return file;
}

const struct console_file *console_find(const char *name)
{
    for (size_t i = 0; i < console_file_count; i++)
        if (console_files[i].kind != CONSOLE_REFERENCE && strcmp(console_files[i].name, name) == 0)
            return &console_files[i];
    return strncmp(name, ASSETS, strlen(ASSETS)) == 0 ? NULL : file_of(CONSOLE_DOCUMENT);
}

/* Returns the policy of the API reference. Swagger UI loads icons from data: URLs. It also turns
 * the description's Markdown into HTML, so Trusted Types can't be required. */
static const char *reference_policy(struct arena *arena)
{
    return arena_printf(arena,
                        "default-src 'none'; script-src %s; style-src %s; img-src 'self' data:; "
                        "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'",
                        reference_scripts, reference_styles);
}

/* Scripts and styles are allowed by hash, because 'self' includes public documents. This origin can
 * frame the preview, despite X-Frame-Options (CSP level 3, section 6.4.2.2). */
const char *console_policy(const struct console_file *file, const char *upload_origin,
                           struct arena *arena)
{
    bool elsewhere = upload_origin && *upload_origin;

    if (file->kind == CONSOLE_ASSET)
        return "default-src 'none'; frame-ancestors 'none'";
    if (file->kind == CONSOLE_REFERENCE)
        return reference_policy(arena);
    if (file->kind == CONSOLE_PREVIEW)
        return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
               "form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin";
    return arena_printf(
        arena,
        "default-src 'none'; script-src %s; style-src %s; "
        "img-src 'self' blob:; connect-src 'self'%s%s; frame-src 'self' blob:; base-uri 'none'; "
        "form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        console_scripts, console_styles, elsewhere ? " " : "", elsewhere ? upload_origin : "");
}

static const char *name_of(const struct exchange *exchange)
{
    const char *name = "";

    for (size_t i = 1; i < exchange->path.count; i++)
        name = arena_printf(exchange->arena, "%s%s%s", name, i > 1 ? "/" : "",
                            exchange->path.segments[i]);
    return name;
}

static void choose_form(const struct console_file *file, const char *accept, struct answer *answer)
{
    const struct console_bytes *form = &file->plain;

    if (file->brotli.size < file->plain.size && encode_is_accepted(accept, "br")) {
        form = &file->brotli;
        answer->encoding = "br";
    } else if (file->gzip.size < file->plain.size && encode_is_accepted(accept, "gzip")) {
        form = &file->gzip;
        answer->encoding = "gzip";
    }
    answer->body = form->bytes;
    answer->size = form->size;
    answer->content_type = file->content_type;
}

static void answer_file(struct exchange *exchange, const struct console_file *file)
{
    const struct gateway *gateway = exchange->gateway;
    const char *known = exchange->head.if_none_match;
    bool same = known && (strcmp(known, "*") == 0 || strstr(known, file->hash));
    struct answer answer = {
        .status = same ? 304 : 200,
        .cache = file->kind == CONSOLE_ASSET ? "public, max-age=31536000, immutable" : "no-cache",
        .etag = arena_printf(exchange->arena, "W/\"%s\"", file->hash),
        .encodable = true,
        .page = true,
    };
    const struct answer_header more[] = {
        {"Content-Security-Policy",
         console_policy(file, gateway_config(gateway)->console_upload_origin, exchange->arena)},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
        {"Strict-Transport-Security", exchange_transport(exchange)},
        {NULL, NULL},
    };

    answer.more = arena_memdup(exchange->arena, more, sizeof(more));
    if (!same)
        choose_form(file, exchange->head.accept_encoding, &answer);
    exchange_reply(exchange, &answer);
}

void console_serve(struct exchange *exchange)
{
    const struct console_file *file = console_find(name_of(exchange));

    if (file) {
        answer_file(exchange, file);
        return;
    }
    (void)error_set(&exchange->err, ERR_NOT_FOUND, "File not found.");
    exchange_fail(exchange, NULL);
}

void reference_serve(struct exchange *exchange)
{
    answer_file(exchange, file_of(CONSOLE_REFERENCE));
}
