/*
 * translated.h - asking for translations, and looking at what came back.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TRANSLATED_H
#define ATRIUM_TESTS_SUPPORT_TRANSLATED_H

#include "tests/support/suite.h"

#define TRANSLATION "/ai/translation"

/* The body of a request; the texts are consumed. */
json_t *translated_body(const char *from, const char *to, json_t *texts);

/* English to Spanish, with another time limit than 30 s. */
struct http_answer *translated_within(const struct suite *suite, const struct person *person,
                                      long limit_s, json_t *texts);

/* A text or its status; "" when there is none. */
const char *translated_text(const struct http_answer *answer, size_t i);
const char *translated_status(const struct http_answer *answer, size_t i);

/* How many have this status; there must be `want` texts and statuses. */
size_t translated_count(const struct http_answer *answer, size_t want, const char *status);

/* `count` times the same few bytes (caller frees). */
char *translated_repeat(const char *bytes, size_t count);

/* Has a thousand texts of marked_text.h translated: each comes back with all its markup, and as it
 * was unless it says that it was translated. */
struct translated_counts {
    size_t failed, translated;
};
struct translated_counts translated_keeps_markup(const struct suite *suite,
                                                 const struct person *person);

#endif
