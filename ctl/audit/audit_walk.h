/*
 * audit_walk.h - verifies a chain of audit rows (common/service/audit_chain.h). Does no I/O: the
 * caller hands in rows page by page.
 */
#ifndef ATRIUM_CTL_AUDIT_AUDIT_WALK_H
#define ATRIUM_CTL_AUDIT_AUDIT_WALK_H

#include "common/service/audit_chain.h"

struct audit_fault {
    int64_t sequence;
    const char *kind; /* "altered", "removed", "inserted", "reordered"; NULL: nothing */
    const char *text; /* for people */
};

struct audit_walk {
    int64_t sequence; /* of the last row; 0: none yet */
    int64_t id;       /* its row's, 0: it was dropped */
    uint8_t hash[AUDIT_HASH_SIZE];
    size_t hash_size;
    int64_t rows, dropped;
    int64_t kept_sequence; /* 0: none */
    struct field_bytes kept_hash;
    struct audit_fault fault;
};

/* Where the next page begins. The last row is read again, to notice a replaced one. */
int64_t audit_walk_after(const struct audit_walk *self);

/* Verifies rows (struct audit_record) fetched with audit_walk_after(), and gaps (struct audit_gap)
 * after the last row. False at the first fault. *ret_more: there was a new row. */
bool audit_walk_page(struct audit_walk *self, const struct field_list *rows,
                     const struct field_list *gaps, bool *ret_more);

/* Verifies the end of the chain, when no row is left. */
bool audit_walk_end(struct audit_walk *self, int64_t sequence, struct field_bytes hash);

#endif
