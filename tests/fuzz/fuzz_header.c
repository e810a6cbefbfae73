/*
 * fuzz_header.c - clients' headers and short texts: ranges, dates, file names and types, languages.
 * Input: lines, in the order of the calls below.
 */
#include <stdio.h>
#include <string.h>

#include "authd/credential/user_agent.h"
#include "common/base/clock.h"
#include "common/domain/language.h"
#include "common/wire/codec.h"
#include "docd/document/disposition.h"
#include "docd/document/sniff.h"
#include "gateway/http/range.h"
#include "tests/fuzz/fuzz.h"

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static void check_range(const char *range, const char *if_range, const char *none_match,
                        const char *since)
{
    static const int64_t sizes[] = {0, 1, 10, 1000, INT64_MAX};
    struct range_request request = {or_null(range), or_null(if_range), or_null(none_match),
                                    or_null(since), or_null(none_match)};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct range_file file = {"\"5d\"", i % 2 ? 1769851800000 : 0, sizes[i]};
        struct range_answer answer = range_decide(&request, &file);

        switch (answer.status) {
        case 200:
            FUZZ_REQUIRE(answer.first == 0 && answer.size == file.size);
            break;
        case 206:
            FUZZ_REQUIRE(answer.first >= 0 && answer.first < file.size);
            FUZZ_REQUIRE(answer.size > 0 && answer.size <= file.size - answer.first);
            break;
        default:
            FUZZ_REQUIRE(answer.status == 304 || answer.status == 416);
        }
    }
}

static unsigned hex(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'A' + 10);
}

/* Checks for a header of printable ASCII with balanced quotes that ends in the name. */
static void check_disposition(struct arena *arena, const char *name)
{
    const char *text, *at;
    char *decoded, *to;

    if (!codec_is_text(name, strlen(name)))
        return;
    text = disposition(arena, strlen(name) % 2, name);
    for (at = text; *at; at++)
        FUZZ_REQUIRE(*at >= ' ' && *at <= '~');
    FUZZ_REQUIRE(strchr(text, '"') && strchr(strchr(text, '"') + 1, '"') == strrchr(text, '"'));
    at = strstr(strrchr(text, '"'), "filename*=UTF-8''");
    FUZZ_REQUIRE(at);
    decoded = to = arena_alloc(arena, strlen(at) + 1);
    for (at += strlen("filename*=UTF-8''"); *at; at++) {
        *to++ = *at == '%' ? (char)(hex(at[1]) << 4 | hex(at[2])) : *at;
        at += *at == '%' ? 2 : 0;
    }
    FUZZ_REQUIRE(strcmp(decoded, name) == 0);
}

static void check_language(struct arena *arena, const char *text)
{
    const char *tag = language_tag(arena, text), *again;

    if (!tag)
        return;
    again = language_tag(arena, tag);
    FUZZ_REQUIRE(strlen(tag) <= LANGUAGE_TAG_MAX && strlen(tag) == strlen(text));
    FUZZ_REQUIRE(again && strcmp(tag, again) == 0);
    again = language_tag(arena, language_base(arena, tag));
    FUZZ_REQUIRE(again && strncmp(tag, again, strlen(again)) == 0);
}

static void check_time(const char *text)
{
    char printed[25];
    int64_t ms, again;

    if (clock_parse_iso(text, &ms) < 0)
        return;
    clock_format_iso(ms, printed);
    FUZZ_REQUIRE(clock_parse_iso(printed, &again) == 0 && ms == again);
}

int fuzz_header(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *range = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *if_range = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *none_match = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *since = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *name = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *type = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *language = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *time = fuzz_line(&data, &size);
    CLEANUP(memory_free) char *agent = fuzz_line(&data, &size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    check_range(range, if_range, none_match, since);
    check_disposition(arena, name);
    if (media_type_is_active(type)) /* a parameter changes nothing */
        FUZZ_REQUIRE(media_type_is_active(arena_printf(arena, "%s; charset=utf-8", type)));
    check_language(arena, language);
    check_time(time);
    FUZZ_REQUIRE(!user_agent_browser(agent) || strlen(user_agent_browser(agent)) < 32);
    FUZZ_REQUIRE(!user_agent_os(agent) || strlen(user_agent_os(agent)) < 32);
    return 0;
}
