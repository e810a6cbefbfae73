/*
 * page_cursor.h - where the next page of a list begins, as an opaque text for clients.
 *
 * base64url(sealed JSON [written at, list, phase, key, id]): keys may be personal, and a client can
 * make none. `list` names route, project and filters; a cursor is valid for it, for a day. Pure.
 */
#ifndef ATRIUM_COMMON_SERVICE_PAGE_CURSOR_H
#define ATRIUM_COMMON_SERVICE_PAGE_CURSOR_H

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/uuid.h"
#include "common/service/seal_keys.h"
#include "common/wire/fields.h"

#define PAGE_CURSOR_LIFE DAYS(1) /* ms */

struct page_cursor {
    int64_t phase;   /* which of the list's statements goes on */
    const char *key; /* the row that the page before ended with */
    struct uuid id;
};

/* The list parameter `_cursor`, whose words each list chooses, and the member `next`. */
enum { PAGE_CURSOR_MAX = 4096 }; /* bytes of the text */
#define PAGE_CURSOR_EXAMPLE "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
#define FIELD_CURSOR(s, doc_) \
    FIELD_TEXT(s, _cursor, 1, PAGE_CURSOR_MAX, FIELD_QUERY, doc_, PAGE_CURSOR_EXAMPLE)
#define FIELD_NEXT(s)                                       \
    FIELD_TEXT(s, next, 1, PAGE_CURSOR_MAX, FIELD_NULLABLE, \
               "`_cursor` of the next page; null on the last page.", PAGE_CURSOR_EXAMPLE)

extern const struct page_cursor page_cursor_start;

const char *page_cursor_new(struct arena *arena, const struct seal_keys *keys, const char *list,
                            int64_t now_ms, const struct page_cursor *cursor);

/* For a list in id order read with one row more than `count`: cuts that row off; the next page's
 * cursor, or NULL: that was all. size, id: of a row, and its uuid's offset. */
const char *page_cursor_cut(struct arena *arena, const struct seal_keys *keys, const char *list,
                            int64_t now_ms, int64_t count, size_t size, size_t id,
                            struct field_list *rows);
#define PAGE_CURSOR_CUT(req, keys, list, count, type, rows)                              \
    page_cursor_cut((req)->arena, keys, list, (req)->now_ms, count, sizeof(struct type), \
                    offsetof(struct type, id), rows)

/* The position of a cursor of this list; the start for NULL. ERR_VALIDATION, path _cursor. */
int page_cursor_read(struct arena *arena, const struct seal_keys *keys, const char *list,
                     int64_t now_ms, const char *text, struct page_cursor *ret,
                     struct error *err) MUST_USE;

#endif
