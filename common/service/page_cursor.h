/*
 * page_cursor.h - where the next page of a list begins, as an opaque text for clients.
 *
 *     base64url( sealed JSON [written at, list, phase, key, id] )
 *
 * It is sealed, because the key of a row is a person's address or name, and so that a client can
 * make none. `list` names all that the list depends on: the route, the project and the filters. A
 * cursor is good for that list and for a day. Pure: no database, no loop.
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

/* Rows of the tables of a list: its parameter `_cursor`, whose words each list chooses, and its
 * member `next`. */
enum { PAGE_CURSOR_MAX = 4096 }; /* bytes of the text */
#define PAGE_CURSOR_EXAMPLE "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
#define FIELD_CURSOR(s, doc_) \
    FIELD_TEXT(s, _cursor, 1, PAGE_CURSOR_MAX, FIELD_QUERY, doc_, PAGE_CURSOR_EXAMPLE)
#define FIELD_NEXT(s)                                       \
    FIELD_TEXT(s, next, 1, PAGE_CURSOR_MAX, FIELD_NULLABLE, \
               "`_cursor` of the next page; null where the list ends.", PAGE_CURSOR_EXAMPLE)

/* Before the first row. */
extern const struct page_cursor page_cursor_start;

/* From the arena. */
const char *page_cursor_new(struct arena *arena, const struct seal_keys *keys, const char *list,
                            int64_t now_ms, const struct page_cursor *cursor);

/* A list that is ordered by the ids of its rows, and was read with one row more than `count`. Cuts
 * that row off; where the next page begins, or NULL: that was all. size, id: of a row, and where in
 * it its struct uuid is. */
const char *page_cursor_cut(struct arena *arena, const struct seal_keys *keys, const char *list,
                            int64_t now_ms, int64_t count, size_t size, size_t id,
                            struct field_list *rows);
#define PAGE_CURSOR_CUT(req, keys, list, count, type, rows)                              \
    page_cursor_cut((req)->arena, keys, list, (req)->now_ms, count, sizeof(struct type), \
                    offsetof(struct type, id), rows)

/* What page_cursor_new() has made for the same list within a day, the key in the arena; from the
 * start of the list for a NULL text. ERR_VALIDATION, path _cursor, for any other. */
int page_cursor_read(struct arena *arena, const struct seal_keys *keys, const char *list,
                     int64_t now_ms, const char *text, struct page_cursor *ret,
                     struct error *err) MUST_USE;

#endif
