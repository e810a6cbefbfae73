/*
 * person_name.c - see person_name.h.
 */
#include "authd/member/person_name.h"

#include <stdio.h>
#include <string.h>

#include "authd/sql/project_account.h"
#include "common/base/clock.h"
#include "common/domain/fold.h"

enum {
    KEYS_MAX = 12,        /* per person */
    CHARACTERS_MAX = 200, /* in both names */
    BATCH = 500,          /* accounts per batch */
    BATCH_MS = 1000,      /* time reserved for a batch */
};

/* A name without apostrophes, and without spaces between characters of scripts that don't use
 * them. */
struct name {
    char *text;
    size_t length;
    size_t starts[KEYS_MAX]; /* starts of words */
    size_t count;
};

static struct name read_name(struct arena *arena, const char *text)
{
    const char *at = fold(arena, text, CHARACTERS_MAX), *end = at;
    struct name name = {.text = arena_alloc_raw(arena, 2 * strlen(at) + 1)};
    struct fold_word word, before = {0};

    while (fold_next(&at, &word)) {
        bool dense = word.kind != FOLD_WORD && before.kind != FOLD_WORD;

        /* first character of a pair; the second one starts the next pair */
        word.size = (size_t)(at - word.text);
        if (before.text && !dense && word.text > end && *end != '\'')
            name.text[name.length++] = ' ';
        if (name.count < KEYS_MAX)
            name.starts[name.count++] = name.length;
        memcpy(name.text + name.length, word.text, word.size);
        name.length += word.size;
        before = word;
        end = at;
    }
    name.text[name.length] = '\0';
    return name;
}

/* Makes a person's search keys: all names, starting from each word in turn. An apostrophe is
 * dropped, but also separates: "obrien" and "brien" find "o'brien". Scripts without spaces have a
 * key per character. */
static size_t name_keys(struct arena *arena, const char *name, const char *surname,
                        const char *ret[static KEYS_MAX])
{
    struct name all = read_name(arena, arena_printf(arena, "%s %s", name, surname));

    for (size_t i = 0; i < all.count; i++) {
        const char *key =
            arena_printf(arena, "%s %.*s", all.text + all.starts[i], (int)all.starts[i], all.text);

        ret[i] = read_name(arena, key).text;
    }
    return all.count;
}

const char *person_name_search(struct arena *arena, const char *search)
{
    return strchr(search, '@') ? "" : read_name(arena, search).text;
}

/* Returns how many accounts were folded. Accounts locked by other transactions are left out. */
static int store(struct authd *d, const struct request *req,
                 const struct sql_account_name_due_list_rows *due, struct error *err)
{
    size_t id = sizeof(struct uuid), most = due->count * KEYS_MAX, count = 0;
    const char **names = arena_calloc(req->arena, due->count, sizeof(*names)),
               **surnames = arena_calloc(req->arena, due->count, sizeof(*surnames)),
               **keys = arena_calloc(req->arena, most, sizeof(*keys));
    struct sql_account_name_fold_in fold = {.accounts = db_array_new(req->arena, due->count, id),
                                            .key_accounts = db_array_new(req->arena, most, id)};

    for (size_t i = 0; i < due->count; i++) {
        const struct sql_account_name_due_list_row *row = &due->items[i];
        size_t first = count;

        db_array_add(&fold.accounts, row->account.text);
        names[i] = row->name;
        surnames[i] = row->surname;
        count += name_keys(req->arena, row->name, row->surname, keys + count);
        for (size_t j = first; j < count; j++)
            db_array_add(&fold.key_accounts, row->account.text);
    }
    fold.names = db_array_texts(req->arena, names, due->count);
    fold.surnames = db_array_texts(req->arena, surnames, due->count);
    fold.keys = db_array_texts(req->arena, keys, count);
    return sql_account_name_fold(d->svc.db, req, &fold, err);
}

int person_name_fold(void *daemon, const struct request *req, struct error *err)
{
    const struct sql_account_name_due_list_in list = {.most = BATCH};
    struct sql_account_name_due_list_rows due;
    struct authd *d = daemon;
    int done;

    do {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct request own = *req;

        own.arena = arena;
        if (sql_account_name_due_list(d->svc.db, &own, &list, &due, err) < 0)
            return -1;
        done = due.count > 0 ? store(d, &own, &due, err) : 0;
        if (done < 0)
            return -1;
    } while (done == BATCH && clock_mono_ms() + BATCH_MS < req->deadline_mono_ms);
    d->names_folded = d->names_folded || (due.count < BATCH && done == (int)due.count);
    return 0;
}
