/*
 * id_page.h - a page of ids from file names: the lowest after a given one. Folders are unordered,
 * and can be too large for memory.
 */
#ifndef ATRIUM_DOCD_STORE_ID_PAGE_H
#define ATRIUM_DOCD_STORE_ID_PAGE_H

#include "common/base/base.h"
#include "common/base/uuid.h"

struct id_page {
    const char *after; /* "": start */
    struct uuid *items;
    size_t room, count;
    bool more;
};

/* Adds an id, unless it is in the page. */
void id_page_add(struct id_page *self, struct uuid id);

#endif
