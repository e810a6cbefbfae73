/*
 * translated.h - translation requests and their results.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TRANSLATED_H
#define ATRIUM_TESTS_SUPPORT_TRANSLATED_H

#include "tests/support/suite.h"

#define TRANSLATION "/ai/translation"

/* Makes a request's body, and consumes the texts. */
json_t *translated_body(const char *from, const char *to, json_t *texts);

/* Translates English to Spanish with a time limit other than 30 s. */
struct http_answer *translated_within(const struct suite *suite, const struct person *person,
                                      long limit_s, json_t *texts);

const char *translated_text(const struct http_answer *answer, size_t i);
const char *translated_status(const struct http_answer *answer, size_t i);

/* Counts the texts with this status, of `want` in total. */
size_t translated_count(const struct http_answer *answer, size_t want, const char *status);

char *translated_repeat(const char *bytes, size_t count);

/* Translates a thousand texts of marked_text.h: each keeps all its markup, and is unchanged unless
 * marked as translated. */
struct translated_counts {
    size_t failed, translated;
};
struct translated_counts translated_keeps_markup(const struct suite *suite,
                                                 const struct person *person);

#endif
