/*
 * audit_walk.c - see audit_walk.h. For a row with a wrong hash, the rest of its page shows if
 * another row belongs here, and if this one belongs elsewhere.
 */
#include "ctl/audit/audit_walk.h"

#include <string.h>

static const char ALTERED[] = "is not the row that was sealed: it was altered, or earlier rows "
                              "were removed and the others renumbered";
static const char REMOVED[] = "is missing: it was removed, and perhaps later rows too";
static const char INSERTED[] = "was inserted without a seal";
static const char REORDERED[] = "was swapped with another row";
static const char REPLACED[] = "does not have the kept hash: the chain was recreated";

static bool fail(struct audit_walk *self, int64_t sequence, const char *kind, const char *text)
{
    self->fault = (struct audit_fault){sequence, kind, text};
    return false;
}

/* memcmp() must not get the NULL of an empty value. */
static bool same(struct field_bytes a, struct field_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static bool same_hash(struct field_bytes hash, const uint8_t want[static AUDIT_HASH_SIZE])
{
    return same(hash, (struct field_bytes){want, AUDIT_HASH_SIZE});
}

int64_t audit_walk_after(const struct audit_walk *self)
{
    return self->sequence > 0 ? self->sequence - 1 : 0;
}

/* ---- invalid rows ---- */

struct suspects {
    const struct audit_record *rows;
    size_t count, at;
};

static void hash_at(const struct audit_record *row, int64_t sequence, struct field_bytes previous,
                    uint8_t ret[static AUDIT_HASH_SIZE])
{
    struct audit_record moved = *row;

    moved.sequence = sequence;
    audit_hash(&moved, previous, ret);
}

/* True if one of the two rows has this hash: someone who swaps rows can leave their hashes in
 * place. */
static bool either(const struct suspects *who, size_t other,
                   const uint8_t hash[static AUDIT_HASH_SIZE])
{
    return same_hash(who->rows[who->at].hash, hash) || same_hash(who->rows[other].hash, hash);
}

/* Returns the index of the later row that belongs in this place, or count. *ret_hash: the hash of
 * that row in this place. */
static size_t find_rightful(const struct suspects *who, int64_t sequence,
                            struct field_bytes previous, uint8_t ret_hash[static AUDIT_HASH_SIZE])
{
    size_t other = who->at + 1;

    for (; other < who->count; other++) {
        hash_at(&who->rows[other], sequence, previous, ret_hash);
        if (either(who, other, ret_hash))
            break;
    }
    return other;
}

static bool belongs_there(const struct suspects *who, size_t other,
                          const uint8_t here[static AUDIT_HASH_SIZE])
{
    struct field_bytes previous = who->rows[other - 1].hash;
    uint8_t hash[AUDIT_HASH_SIZE];

    if (other == who->at + 1)
        previous = (struct field_bytes){here, AUDIT_HASH_SIZE};
    hash_at(&who->rows[who->at], who->rows[other].sequence, previous, hash);
    return either(who, other, hash);
}

static bool unsound(struct audit_walk *self, const struct suspects *who)
{
    int64_t sequence = self->sequence + 1;
    struct field_bytes previous = {self->hash, self->hash_size};
    uint8_t here[AUDIT_HASH_SIZE];
    size_t other;

    if (who->at + 1 < who->count && who->rows[who->at + 1].sequence == sequence)
        return fail(self, sequence, "inserted", INSERTED);
    other = find_rightful(who, sequence, previous, here);
    if (other == who->count)
        return fail(self, sequence, "altered", ALTERED);
    if (belongs_there(who, other, here))
        return fail(self, sequence, "reordered", REORDERED);
    return fail(self, sequence, "inserted", INSERTED);
}

/* Moves to a row. False if an earlier verification saw another hash there. */
static bool step(struct audit_walk *self, int64_t sequence, int64_t id, struct field_bytes hash)
{
    if (hash.size > sizeof(self->hash))
        return fail(self, sequence, "altered", ALTERED);
    if (hash.size > 0)
        memcpy(self->hash, hash.bytes, hash.size);
    self->hash_size = hash.size;
    self->sequence = sequence;
    self->id = id;
    if (self->kept_sequence == sequence && !same(hash, self->kept_hash))
        return fail(self, sequence, "altered", REPLACED);
    return true;
}

static bool step_over(struct audit_walk *self, const struct field_list *gaps)
{
    const struct audit_gap *gap = gaps->items;

    for (size_t i = 0; i < gaps->count; i++) {
        if (gap[i].first != self->sequence + 1 || gap[i].last < gap[i].first)
            continue;
        self->dropped += gap[i].last - gap[i].first + 1;
        if (!step(self, gap[i].last, 0, gap[i].hash))
            return false;
    }
    return true;
}

bool audit_walk_page(struct audit_walk *self, const struct field_list *rows,
                     const struct field_list *gaps, bool *ret_more)
{
    struct suspects who = {rows->items, rows->count, 0};

    *ret_more = false;
    for (; who.at < who.count; who.at++) {
        const struct audit_record *row = &who.rows[who.at];
        uint8_t hash[AUDIT_HASH_SIZE];

        if (row->sequence == self->sequence && row->id == self->id)
            continue;
        if (row->sequence <= self->sequence)
            return fail(self, row->sequence, "inserted", INSERTED);
        if (row->sequence != self->sequence + 1 && !step_over(self, gaps))
            return false;
        if (row->sequence != self->sequence + 1)
            return fail(self, self->sequence + 1, "removed", REMOVED);
        audit_hash(row, (struct field_bytes){self->hash, self->hash_size}, hash);
        if (!same_hash(row->hash, hash))
            return unsound(self, &who);
        if (!step(self, row->sequence, row->id, row->hash))
            return false;
        self->rows++;
        *ret_more = true;
    }
    return *ret_more || step_over(self, gaps);
}

bool audit_walk_end(struct audit_walk *self, int64_t sequence, struct field_bytes hash)
{
    if (self->sequence < sequence || self->sequence < self->kept_sequence)
        return fail(self, self->sequence + 1, "removed", REMOVED);
    if (self->sequence > sequence)
        return fail(self, sequence + 1, "inserted", INSERTED);
    if (!same(hash, (struct field_bytes){self->hash, self->hash_size}))
        return fail(self, sequence, "altered", ALTERED);
    return true;
}
