/*
 * page_cursor.h - opaque texts that identify the start of a list's next page.
 *
 * base64url(sealed JSON [written at, list, phase, key, id]): keys can be personal, and clients must
 * not forge them. `list` names route, project and filters; a cursor is valid for it, for a day.
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
    int64_t phase;   /* number of the list's statement that continues */
    const char *key; /* last row of the previous page */
    struct uuid id;
};

/* The query parameter `_cursor`, documented per list, and the member `next`. */
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

/* Cuts off the extra row of a list that was read with `count` + 1 rows in the order of their ids.
 * Returns the next cursor, or NULL. size, id: a row's size, and the offset of its uuid. */
const char *page_cursor_cut(struct arena *arena, const struct seal_keys *keys, const char *list,
                            int64_t now_ms, int64_t count, size_t size, size_t id,
                            struct field_list *rows);
#define PAGE_CURSOR_CUT(req, keys, list, count, type, rows)                              \
    page_cursor_cut((req)->arena, keys, list, (req)->now_ms, count, sizeof(struct type), \
                    offsetof(struct type, id), rows)

/* Reads a cursor of this list; NULL is the start. Fails: ERR_VALIDATION, path _cursor. */
int page_cursor_read(struct arena *arena, const struct seal_keys *keys, const char *list,
                     int64_t now_ms, const char *text, struct page_cursor *ret,
                     struct error *err) MUST_USE;

#endif
