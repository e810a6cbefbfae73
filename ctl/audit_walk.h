/*
 * audit_walk.h - does a chain of audit rows hold together (common/service/audit_chain.h)? Pure:
 * rows come page by page.
 */
#ifndef ATRIUM_CTL_AUDIT_WALK_H
#define ATRIUM_CTL_AUDIT_WALK_H

#include "common/service/audit_chain.h"

/* What is wrong with the chain, at the first place where something is. */
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

/* The row from which the next page is asked for: the last row comes again, so that another one in
 * its place is seen. */
int64_t audit_walk_after(const struct audit_walk *self);

/* Takes the next rows (struct audit_record), asked for like that, and the gaps (struct audit_gap)
 * that begin behind the last row. False at the first fault. *ret_more: there was a row that had not
 * been seen. */
bool audit_walk_page(struct audit_walk *self, const struct field_list *rows,
                     const struct field_list *gaps, bool *ret_more);

/* When no row is left: what the chain's end says. */
bool audit_walk_end(struct audit_walk *self, int64_t sequence, struct field_bytes hash);

#endif
