/*
 * content_words.h - the words that content is found by, folded (common/domain/fold.h): of what is
 * written, of searches, and of what a build before wrote.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_CONTENT_WORDS_H
#define ATRIUM_DOCD_DOCUMENT_CONTENT_WORDS_H

#include "common/domain/request.h"
#include "common/pg/db.h"
#include "docd/cms_api.h"

/* The tsvector text of an entry: words of the title weigh most, then key and author, then sections.
 * Of a very long text the beginning counts. */
const char *content_words(struct arena *arena, const struct cms_entry *entry, int64_t now_ms);

/* The words of a search, as the function content_search() takes them. */
struct db_array content_wanted(struct arena *arena, const char *search);

/* Deletes words that no translation has any more; NULL: there are none. */
int content_word_remove(struct db_tx *tx, const struct request *req, struct uuid project,
                        const char *words, struct error *err) MUST_USE;

/* Folds entries with words of an earlier release, until its time is up; a run of service_every().
 * Parks. */
int content_fold(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
