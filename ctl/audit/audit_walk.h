/*
 * audit_walk.h - verifies a chain of audit rows (common/service/audit_chain.h), without I/O.
 */
#ifndef ATRIUM_CTL_AUDIT_AUDIT_WALK_H
#define ATRIUM_CTL_AUDIT_AUDIT_WALK_H

#include "common/service/audit_chain.h"

struct audit_fault {
    int64_t sequence;
    const char *kind; /* "altered", "removed", "inserted", "reordered"; NULL: no fault */
    const char *text;
};

struct audit_walk {
    int64_t sequence; /* place of the last row; 0: none */
    int64_t id;       /* id of that row; 0: the row was dropped */
    uint8_t hash[AUDIT_HASH_SIZE];
    size_t hash_size;
    int64_t rows, dropped;
    int64_t kept_sequence; /* from an earlier verification; 0: none */
    struct field_bytes kept_hash;
    struct audit_fault fault;
};

/* Returns where the next page begins: at the last row, which may have been replaced. */
int64_t audit_walk_after(const struct audit_walk *self);

/* Verifies rows (struct audit_record) after audit_walk_after(), and gaps (struct audit_gap) after
 * the last row. False: a fault. *ret_more: there was a new row. */
bool audit_walk_page(struct audit_walk *self, const struct field_list *rows,
                     const struct field_list *gaps, bool *ret_more);

/* Verifies the end of the chain. Call it after the last row. */
bool audit_walk_end(struct audit_walk *self, int64_t sequence, struct field_bytes hash);

#endif
