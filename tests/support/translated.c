/*
 * translated.c - see translated.h.
 */
#include "tests/support/translated.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/marked_text.h"
#include "tests/support/unit.h"

json_t *translated_body(const char *from, const char *to, json_t *texts)
{
    return json_pack("{s:s, s:s, s:o}", "sourceLanguage", from, "targetLanguage", to, "text",
                     texts);
}

struct http_answer *translated_within(const struct suite *suite, const struct person *person,
                                      long limit_s, json_t *texts)
{
    return http_call(suite_url(suite),
                     &(struct http_request){.method = "POST",
                                            .path = TRANSLATION,
                                            .bearer = person->access,
                                            .body = translated_body("en", "es", texts),
                                            .limit_s = limit_s});
}

const char *translated_text(const struct http_answer *answer, size_t i)
{
    const char *text = json_string_value(json_array_get(http_member(answer, "text"), i));

    return text ? text : "";
}

const char *translated_status(const struct http_answer *answer, size_t i)
{
    const char *status = json_string_value(
        json_object_get(json_array_get(http_member(answer, "items"), i), "status"));

    return status ? status : "";
}

size_t translated_count(const struct http_answer *answer, size_t want, const char *status)
{
    size_t found = 0;

    CU_ASSERT_EQUAL(json_array_size(http_member(answer, "text")), want);
    CU_ASSERT_EQUAL(json_array_size(http_member(answer, "items")), want);
    for (size_t i = 0; i < want; i++)
        found += strcmp(translated_status(answer, i), status) == 0;
    return found;
}

char *translated_repeat(const char *bytes, size_t count)
{
    size_t length = strlen(bytes);
    char *text = malloc(count * length + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, bytes, length);
    text[count * length] = '\0';
    return text;
}

static void check_texts(const json_t *sources, const struct http_answer *answer)
{
    for (size_t i = 0; i < json_array_size(sources); i++) {
        const char *source = json_string_value(json_array_get(sources, i));
        const char *text = translated_text(answer, i);

        UNIT_CHECK(marked_text_kept(source, text), "%s -> %s", source, text);
        if (strcmp(translated_status(answer, i), "translated") != 0)
            UNIT_CHECK(strcmp(source, text) == 0, "%s -> %s", source, text);
    }
}

struct translated_counts translated_keeps_markup(const struct suite *suite,
                                                 const struct person *person)
{
    enum { REQUESTS = 10, TEXTS = 100 };
    struct translated_counts counts = {0};
    unsigned seed = 1066;

    for (size_t r = 0; r < REQUESTS; r++) {
        json_t *texts = json_array(), *sources;

        for (size_t i = 0; i < TEXTS; i++) {
            char *text = marked_text(&seed);

            json_array_append_new(texts, json_string(text));
            free(text);
        }
        sources = json_deep_copy(texts);
        HTTP_ANSWER answer = translated_within(suite, person, 62, texts);
        CHECK_STATUS(answer, 200);
        counts.failed += translated_count(answer, TEXTS, "failed");
        counts.translated += translated_count(answer, TEXTS, "translated");
        check_texts(sources, answer);
        json_decref(sources);
    }
    return counts;
}
