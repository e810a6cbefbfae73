/*
 * test_maild_message.c - an email's text: unbreakable headers, and parts that survive any server.
 */
#include <string.h>

#include "maild/message.h"
#include "tests/support/unit.h"

static const struct message plain = {
    .id = {"0191b2c3-0000-4000-8000-000000000001"},
    .date_ms = 1700000000123,
    .to = "ana@example.org",
    .from_address = "no-reply@health.example",
    .from_name = "Lakeside Clinic",
    .subject = "Welcome",
    .text = "Hello Ana.\nSee you.",
    .language = "",
};

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        longest = MAX(longest, strcspn(text, "\r\n"));
    return longest;
}

static bool only_crlf(const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((*p == '\n' && (p == text || p[-1] != '\r')) || (*p == '\r' && p[1] != '\n'))
            return false;
    }
    return true;
}

static void test_writes_a_plain_mail(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    CU_ASSERT_STRING_EQUAL(message_build(arena, &plain),
                           "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
                           "From: Lakeside Clinic <no-reply@health.example>\r\n"
                           "To: <ana@example.org>\r\n"
                           "Subject: Welcome\r\n"
                           "Message-ID: <0191b2c3-0000-4000-8000-000000000001@health.example>\r\n"
                           "MIME-Version: 1.0\r\n"
                           "Auto-Submitted: auto-generated\r\n"
                           "Content-Type: text/plain; charset=utf-8\r\n"
                           "Content-Transfer-Encoding: 7bit\r\n"
                           "\r\n"
                           "Hello Ana.\r\nSee you.\r\n");
}

static void test_writes_text_and_html(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct message message = plain;
    char *text;

    message.html = "<p>Grüße = gut</p> ";
    message.language = "de";
    text = message_build(arena, &message);
    UNIT_CHECK(has(text, "Content-Language: de\r\n"), "%s", text);
    UNIT_CHECK(has(text, "multipart/alternative;\r\n boundary=\"=_0191b2c3-"), "%s", text);
    UNIT_CHECK(has(text, "Hello Ana.\r\nSee you.\r\n--=_0191"), "%s", text);
    UNIT_CHECK(has(text, "\r\n\r\n<p>Gr=C3=BC=C3=9Fe =3D gut</p>=20\r\n--=_0191"), "%s", text);
    UNIT_CHECK(has(text, "-000000000001--\r\n"), "%s", text);
    UNIT_CHECK(only_crlf(text), "%s", text);
    message.language = "de\r\nReply-To: eve@example.org";
    text = message_build(arena, &message);
    UNIT_CHECK(!has(text, "\nReply-To"), "a header in the language: %s", text);
}

static void test_encodes_subjects_and_lets_no_header_in(void)
{
    static const struct {
        const char *label, *subject, *want;
    } rows[] = {
        {"accents", "Grüße", "Subject: =?utf-8?B?R3LDvMOfZQ==?=\r\n"},
        {"what looks encoded",
         "=?utf-8?B?eA==?=", "Subject: =?utf-8?B?PT91dGYtOD9CP2VBPT0/PQ==?=\r\n"},
        {"a header in it", "Hi\r\nBcc: eve@example.org", "Subject: Hi  Bcc: eve@example.org\r\n"},
        {"a lone line feed", "Hi\nthere\x7F", "Subject: Hi there \r\n"},
        {"accents over several words", "ääääääääääääääääääääääääää",
         "Subject: =?utf-8?B?w6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6Q=?=\r\n"
         " =?utf-8?B?w6TDpMOkw6TDpMOkw6Q=?=\r\n"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct message message = plain;
        char *text;

        message.subject = rows[i].subject;
        text = message_build(arena, &message);
        UNIT_CHECK(has(text, rows[i].want), "%s: %s", rows[i].label, text);
        UNIT_CHECK(!has(text, "\nBcc"), "%s: %s", rows[i].label, text);
    }
}

static void test_encodes_the_senders_name(void)
{
    static const struct {
        const char *name, *want;
    } rows[] = {
        {"", "From: <no-reply@health.example>\r\n"},
        {"Dr. \"Who\"", "From: =?utf-8?B?RHIuICJXaG8i?= <no-reply@health.example>\r\n"},
        {"x\r\nBcc: y", "From: =?utf-8?B?eCAgQmNjOiB5?= <no-reply@health.example>\r\n"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct message message = plain;
        char *text;

        message.from_name = rows[i].name;
        text = message_build(arena, &message);
        UNIT_CHECK(has(text, rows[i].want), "%s", text);
    }
}

static void test_keeps_lines_short_and_ends_them_with_crlf(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct message message = plain;
    char *body = arena_alloc(arena, 3001), *text;

    memset(body, 'x', 998);
    message.text = body;
    UNIT_CHECK(has(message_build(arena, &message), "7bit"), "a line of 998 bytes");
    memset(body, 'x', 3000);
    text = message_build(arena, &message);
    UNIT_CHECK(has(text, "quoted-printable"), "a line of 3,000 bytes");
    UNIT_CHECK(longest_line(text) <= 78, "%zu", longest_line(text));
    message.text = "a\rb\r\nc\n\n.\nend\x01";
    text = message_build(arena, &message);
    UNIT_CHECK(has(text, "\r\n\r\na\r\nb\r\nc\r\n\r\n.\r\nend=01\r\n"), "%s", text);
    message.text = "";
    UNIT_CHECK(message_build(arena, &message) != NULL, "an empty text");
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(test_writes_a_plain_mail),
        CASE(test_writes_text_and_html),
        CASE(test_encodes_subjects_and_lets_no_header_in),
        CASE(test_encodes_the_senders_name),
        CASE(test_keeps_lines_short_and_ends_them_with_crlf),
    };

    return unit_run("maild message", cases, ARRAY_SIZE(cases));
}
