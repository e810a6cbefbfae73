/* member_search.c - see member_search.h. */
#include "authd/member/member_search.h"

#include <stdio.h>
#include <string.h>

#include "authd/sql/project_account.h"
#include "common/base/clock.h"
#include "common/domain/fold.h"

enum {
    WORDS_MAX = 12, /* in both names, and on each side of an address */
    KEYS_MAX = 3 * WORDS_MAX + 1,
    CHARACTERS_MAX = 200, /* in both names, and on each side of an address */
    BATCH = 500,          /* accounts per batch */
    BATCH_MS = 1000,      /* time reserved for a batch */
};

/* The folded words of a text, joined by spaces. Apostrophes are left out, and scripts without
 * spaces get none. */
struct words {
    char *text;
    size_t length;
    size_t starts[WORDS_MAX];
    size_t count;
};

static struct words read_words(struct arena *arena, const char *text)
{
    const char *at = fold(arena, text, CHARACTERS_MAX), *end = at;
    struct words words = {.text = arena_alloc_raw(arena, 2 * strlen(at) + 1)};
    struct fold_word word, before = {0};

    while (fold_next(&at, &word)) {
        bool dense = word.kind != FOLD_WORD && before.kind != FOLD_WORD;

        /* a pair begins here: use only its first character, because the second begins the next
         * pair */
        word.size = (size_t)(at - word.text);
        if (before.text && !dense && word.text > end && *end != '\'')
            words.text[words.length++] = ' ';
        if (words.count < WORDS_MAX)
            words.starts[words.count++] = words.length;
        memcpy(words.text + words.length, word.text, word.size);
        words.length += word.size;
        before = word;
        end = at;
    }
    words.text[words.length] = '\0';
    return words;
}

/* Makes one key per word: the full name rotated to begin with that word. The part after an
 * apostrophe also begins a key, so "obrien" and "brien" both find O'Brien. In a script without
 * spaces, each character begins one. */
static size_t name_keys(struct arena *arena, const char *name, const char *surname,
                        const char *ret[static WORDS_MAX])
{
    struct words all = read_words(arena, arena_printf(arena, "%s %s", name, surname));

    for (size_t i = 0; i < all.count; i++) {
        const char *key =
            arena_printf(arena, "%s %.*s", all.text + all.starts[i], (int)all.starts[i], all.text);

        ret[i] = read_words(arena, key).text;
    }
    return all.count;
}

/* Splits an address, or a part of one, at its '@'. Returns false if it has none. */
static bool cut_address(struct arena *arena, const char *text, struct words *ret_local,
                        struct words *ret_domain)
{
    const char *at = strrchr(text, '@');

    if (!at)
        return false;
    *ret_local = read_words(arena, arena_printf(arena, "%.*s", (int)(at - text), text));
    *ret_domain = read_words(arena, at + 1);
    return true;
}

/* Makes the keys of an address: one from each word of the local part to the end, one from the '@',
 * and one from each word of the domain. */
static size_t address_keys(struct arena *arena, const char *email,
                           const char *ret[static 2 * WORDS_MAX + 1])
{
    struct words local, domain;
    size_t count = 0;

    if (!cut_address(arena, email, &local, &domain))
        return 0;
    for (size_t i = 0; i < local.count; i++)
        ret[count++] = arena_printf(arena, "%s@%s", local.text + local.starts[i], domain.text);
    ret[count++] = arena_printf(arena, "@%s", domain.text);
    for (size_t i = 0; i < domain.count; i++)
        ret[count++] = domain.text + domain.starts[i];
    return count;
}

const char *member_search_words(struct arena *arena, const char *search)
{
    struct words local, domain;

    if (!cut_address(arena, search, &local, &domain))
        return read_words(arena, search).text;
    return local.count + domain.count > 0 ? arena_printf(arena, "%s@%s", local.text, domain.text)
                                          : "";
}

/* ---- accounts that are due ---- */

/* Writes the keys of these accounts. Returns the number of accounts done, which is smaller if
 * another transaction has locked one. */
static int store(struct authd *d, const struct request *req,
                 const struct sql_member_search_due_list_rows *due, struct error *err)
{
    size_t id = sizeof(struct uuid), most = due->count * KEYS_MAX, count = 0;
    const char **names = arena_calloc(req->arena, due->count, sizeof(*names)),
               **surnames = arena_calloc(req->arena, due->count, sizeof(*surnames)),
               **emails = arena_calloc(req->arena, due->count, sizeof(*emails)),
               **keys = arena_calloc(req->arena, most, sizeof(*keys));
    struct sql_member_search_write_in write = {.accounts = db_array_new(req->arena, due->count, id),
                                               .key_accounts = db_array_new(req->arena, most, id)};

    for (size_t i = 0; i < due->count; i++) {
        const struct sql_member_search_due_list_row *row = &due->items[i];
        size_t first = count;

        db_array_add(&write.accounts, row->account.text);
        names[i] = row->name;
        surnames[i] = row->surname;
        emails[i] = row->email;
        count += name_keys(req->arena, row->name, row->surname, keys + count);
        count += address_keys(req->arena, row->email, keys + count);
        for (size_t j = first; j < count; j++)
            db_array_add(&write.key_accounts, row->account.text);
    }
    write.names = db_array_texts(req->arena, names, due->count);
    write.surnames = db_array_texts(req->arena, surnames, due->count);
    write.emails = db_array_texts(req->arena, emails, due->count);
    write.keys = db_array_texts(req->arena, keys, count);
    return sql_member_search_write(d->svc.db, req, &write, err);
}

int member_search_run(void *daemon, const struct request *req, struct error *err)
{
    const struct sql_member_search_due_list_in list = {.most = BATCH};
    struct sql_member_search_due_list_rows due;
    struct authd *d = daemon;
    int done;

    do {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct request own = *req;

        own.arena = arena;
        if (sql_member_search_due_list(d->svc.db, &own, &list, &due, err) < 0)
            return -1;
        done = due.count > 0 ? store(d, &own, &due, err) : 0;
        if (done < 0)
            return -1;
    } while (done == BATCH && clock_mono_ms() + BATCH_MS < req->deadline_mono_ms);
    return 0;
}
