/* endpoint.c - see endpoint.h. */
#include "common/domain/endpoint.h"

static const struct field endpoint_visit_rows[] = {
    FIELD_TEXT(struct endpoint_visit, url, 1, 4096, FIELD_REQUIRED, "Public URL of the gateway.",
               "https://id.example.org"),
    FIELD_TEXT(struct endpoint_visit, method, 1, 16, FIELD_REQUIRED, "Method.", "POST"),
    FIELD_TEXT(struct endpoint_visit, path, 1, ENDPOINT_HEADER_MAX, FIELD_REQUIRED, "Path.",
               "/t/demo/token"),
    FIELD_TEXT(struct endpoint_visit, authorization, 0, ENDPOINT_HEADER_MAX, FIELD_SECRET,
               "Authorization.", ""),
    FIELD_TEXT(struct endpoint_visit, dpop, 0, ENDPOINT_HEADER_MAX, FIELD_SECRET, "DPoP.", ""),
    FIELD_TEXT(struct endpoint_visit, origin, 0, ENDPOINT_HEADER_MAX, 0, "Origin.",
               "https://app.example.org"),
    FIELD_TEXT(struct endpoint_visit, accept, 0, ENDPOINT_HEADER_MAX, 0, "Accept.",
               "application/json"),
    FIELD_BOOL(struct endpoint_visit, repeated, false, 0,
               "Whether a repeated parameter was dropped."),
    FIELD_OBJECT(struct endpoint_visit, page, page_visit, 0, "The browser that sent the request."),
};
FIELD_TABLE(endpoint_visit);

static const struct field endpoint_answer_rows[] = {
    FIELD_INT(struct endpoint_answer, status, 200, 599, 0, FIELD_REQUIRED, "Status.", "200"),
    FIELD_TEXT(struct endpoint_answer, contentType, 0, 128, 0, "Content-Type.", "application/json"),
    FIELD_TEXT(struct endpoint_answer, body, 0, ENDPOINT_BODY_MAX, FIELD_SECRET, "Body.", "{}"),
    FIELD_BYTES(struct endpoint_answer, bytes, ENDPOINT_BODY_MAX, 0,
                "Binary body, instead of `body`."),
    FIELD_TEXT(struct endpoint_answer, policy, 0, 4096, 0, "Content security policy.", ""),
    FIELD_TEXT(struct endpoint_answer, location, 0, ENDPOINT_LOCATION_MAX, FIELD_SECRET,
               "URL to which the browser is redirected.", "/t/demo/sign-in"),
    FIELD_TEXT(struct endpoint_answer, wwwAuthenticate, 0, 1024, 0, "Challenge.", "Bearer"),
    FIELD_TEXT(struct endpoint_answer, dpopNonce, 0, 256, 0, "DPoP-Nonce.", ""),
    FIELD_TEXT(struct endpoint_answer, cacheControl, 0, 128, 0, "Cache-Control.", "no-store"),
    FIELD_TEXT(struct endpoint_answer, cookie, 0, PAGE_COOKIE_MAX, 0, "The browser's new cookie.",
               ""),
    FIELD_INT(struct endpoint_answer, retryAfter, 0, INT32_MAX, 0, FIELD_OMIT_ZERO, "Seconds.",
              "60"),
};
FIELD_TABLE(endpoint_answer);
