/*
 * id_page.h - a page of the ids that a folder's files are named after: the lowest ones behind a
 * given one. A folder may have more than memory should, and tells them in no order.
 */
#ifndef ATRIUM_DOCD_STORE_ID_PAGE_H
#define ATRIUM_DOCD_STORE_ID_PAGE_H

#include "common/base/base.h"
#include "common/base/uuid.h"

struct id_page {
    const char *after; /* id; "": from the start */
    struct uuid *items;
    size_t room, count;
    bool more; /* than there was room for */
};

/* Call it for each id; duplicates count once. */
void id_page_add(struct id_page *self, struct uuid id);

#endif
