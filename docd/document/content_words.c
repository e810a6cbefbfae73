/* content_words.c - see content_words.h, and schema/0121_content_folded.sql. */
#include "docd/document/content_words.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/domain/fold.h"
#include "common/wire/codec.h"
#include "docd/docd.h"
#include "docd/sql/content.h"

enum {
    CHARACTERS_MAX = 60000, /* indexed part of a title, name or text */
    BYTES_MAX = 900000,     /* bytes of words and positions; a tsvector holds 1 MiB */
    BYTES_MORE = 6,         /* bytes counted for the position of a word */
    POSITION_MAX = 16383,
    WORD_MAX = 500, /* longer words are not indexed */
    WANTED_MAX = 8, /* per search */
    BATCH = 20,
    BATCH_MS = 5000, /* time kept for one batch */
};

/* ---- writing ---- */

struct text {
    FILE *out;
    size_t bytes;
    int position;
};

static void add(struct text *self, const char *title, const struct fold_word *word, char weight)
{
    if (word->size > WORD_MAX || self->bytes + word->size + BYTES_MORE > BYTES_MAX)
        return;
    self->bytes += word->size + BYTES_MORE;
    if (self->position < POSITION_MAX)
        self->position++;
    fprintf(self->out, " '%s%.*s'", title, (int)word->size, word->text);
    if (weight)
        fprintf(self->out, ":%d%c", self->position, weight);
}

static void add_all(struct text *self, struct arena *arena, const char *text, char weight)
{
    const char *at = fold(arena, text, CHARACTERS_MAX);
    struct fold_word word;

    while (fold_next(&at, &word)) {
        add(self, "", &word, weight);
        if (weight == 'A') /* the prefix T marks words of titles: an index stores no weights */
            add(self, "T", &word, '\0');
    }
}

struct content_text {
    const char *title, *name, *sections;
};

/* Returns the folded words. The extra word T.1 shows that this function made them; its position
 * changes with each write, see content_translation_words(). */
static const char *words_of(struct arena *arena, const struct content_text *of, int64_t now_ms)
{
    char *bytes = NULL;
    const char *words;
    size_t size = 0;
    struct text text = {.out = open_memstream(&bytes, &size)};

    if (!text.out)
        log_die("content", "out of memory");
    fprintf(text.out, "'T.1':%d", (int)(now_ms % POSITION_MAX) + 1);
    add_all(&text, arena, of->title, 'A');
    add_all(&text, arena, of->name, 'B');
    add_all(&text, arena, of->sections, 'C');
    if (fclose(text.out) != 0)
        log_die("content", "out of memory");
    words = arena_strndup(arena, bytes, size);
    free(bytes);
    return words;
}

static const char *sections_text(struct arena *arena, const struct field_list *list)
{
    const struct cms_section *sections = list->items;
    size_t room = 1;
    char *text, *to;

    for (size_t i = 0; i < list->count; i++)
        room += strlen(sections[i].text) + strlen(sections[i].title ? sections[i].title : "") + 2;
    to = text = arena_alloc(arena, room);
    for (size_t i = 0; i < list->count; i++)
        to += sprintf(to, "%s %s ", sections[i].title ? sections[i].title : "", sections[i].text);
    return text;
}

const char *content_words(struct arena *arena, const struct cms_entry *entry, int64_t now_ms)
{
    const struct content_text of = {
        entry->title,
        arena_printf(arena, "%s %s", entry->key, entry->author ? entry->author : ""),
        sections_text(arena, &entry->sections),
    };

    return words_of(arena, &of, now_ms);
}

/* ---- searching ---- */

struct db_array content_wanted(struct arena *arena, const char *search)
{
    static const char kinds[] = {[FOLD_WORD] = 'w', [FOLD_PAIR] = 'p', [FOLD_LAST] = 's'};
    const char *at = fold(arena, search, SIZE_MAX), *wanted[WANTED_MAX];
    struct fold_word word;
    bool is_pair = false;
    size_t count = 0;

    while (count < WANTED_MAX && fold_next(&at, &word)) {
        /* the pair before includes this character */
        if (word.kind != FOLD_LAST || !is_pair)
            wanted[count++] = arena_printf(arena, "%c%.*s",
                                           word.kind == FOLD_WORD && !*at ? 'e' : kinds[word.kind],
                                           (int)word.size, word.text);
        is_pair = word.kind == FOLD_PAIR;
    }
    return db_array_texts(arena, wanted, count);
}

int content_word_remove(struct db_tx *tx, const struct request *req, struct uuid project,
                        const char *words, struct error *err)
{
    const struct sql_content_word_delete_in in = {.project = project, .words = words};

    return !words || sql_content_word_delete(tx, req, &in, err) >= 0 ? 0 : -1;
}

static json_t *folded(const struct request *req, const struct sql_content_list_unfolded_rows *rows)
{
    json_t *json = json_array();

    for (size_t i = 0; i < rows->count; i++) {
        const struct sql_content_list_unfolded_row *row = &rows->items[i];
        const struct content_text of = {row->title, row->name, row->sections};

        if (uuid_equal(&row->project, &rows->items[0].project))
            json_array_append_new(json,
                                  json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", row->type, "key",
                                            row->key, "language", row->language, "etag", row->etag,
                                            "words", words_of(req->arena, &of, req->now_ms)));
    }
    return json;
}

static int store(struct docd *d, const struct request *req, struct uuid project,
                 const json_t *entries, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_content_fold_in fold = {.project = project,
                                             .entries = codec_dump_json(req->arena, entries)};
    struct sql_content_fold_row row;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_content_fold(tx, req, &fold, &row, err) < 0 ||
        content_word_remove(tx, req, project, row.unused, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* Skips an entry that is written meanwhile: its words are new. */
int content_fold(void *daemon, const struct request *req, struct error *err)
{
    const struct sql_content_list_unfolded_in list = {.most = BATCH};
    struct docd *d = daemon;
    size_t count;

    do {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        json_auto_t *entries = NULL;
        struct sql_content_list_unfolded_rows rows;
        struct request own = *req;

        own.arena = arena;
        if (sql_content_list_unfolded(d->svc.db, &own, &list, &rows, err) < 0)
            return -1;
        count = rows.count;
        entries = folded(&own, &rows);
        if (count > 0 && store(d, &own, rows.items[0].project, entries, err) < 0)
            return -1;
    } while (count > 0 && clock_mono_ms() + BATCH_MS < req->deadline_mono_ms);
    return 0;
}
