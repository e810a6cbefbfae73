/*
 * content_words.h - the folded words (common/domain/fold.h) that find content.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_CONTENT_WORDS_H
#define ATRIUM_DOCD_DOCUMENT_CONTENT_WORDS_H

#include "common/domain/request.h"
#include "common/pg/db.h"
#include "docd/cms_api.h"

/* Returns an entry's tsvector. The title weighs most, then key and author, then sections. A very
 * long text is cut. */
const char *content_words(struct arena *arena, const struct cms_entry *entry, int64_t now_ms);

/* Returns the words for content_search(). */
struct db_array content_wanted(struct arena *arena, const char *search);

/* Deletes words that no translation uses; NULL: none. */
int content_word_remove(struct db_tx *tx, const struct request *req, struct uuid project,
                        const char *words, struct error *err) MUST_USE;

/* Folds entries that an earlier release wrote. A task of service_every(). Parks. */
int content_fold(void *daemon, const struct request *req, struct error *err) MUST_USE;

#endif
