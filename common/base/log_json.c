/* log_json.c - one JSON object (RFC 8259) per event, valid for any bytes. */
#include <inttypes.h>
#include <stdio.h>

#include "common/base/log_private.h"

/* End of an object that was cut. The space for it is reserved. */
#define TRUNCATED ",\"truncated\":true"
enum { RESERVED = sizeof(TRUNCATED) + 2 };

struct json {
    char *text;
    size_t length, size;
    bool cut;
};

static bool put(struct json *json, const char *text, size_t length)
{
    if (json->cut || length > json->size - json->length) {
        json->cut = true;
        return false;
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
    return true;
}

/* Returns a UTF-8 sequence's length (RFC 3629, section 4); 0 for none or NUL. */
static size_t sequence_length(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, second_min, second_max, length;
    } rows[] = {
        {0x20, 0x7f, 0, 0xff, 1},    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t length = rows[i].length;

        if (*at < rows[i].first || *at > rows[i].last)
            continue;
        if (length > 1 && (at[1] < rows[i].second_min || at[1] > rows[i].second_max))
            return 0;
        for (size_t k = 2; k < length; k++)
            if ((at[k] & 0xc0) != 0x80)
                return 0;
        return length;
    }
    return 0;
}

static size_t put_character(struct json *json, const unsigned char *at)
{
    char escaped[8];
    size_t length = sequence_length(at);
    bool fits;

    if (*at == '"' || *at == '\\')
        fits = put(json, (const char[]){'\\', (char)*at}, 2);
    else if (length > 0)
        fits = put(json, (const char *)at, length);
    else if (*at < 0x20)
        fits = put(json, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\u%04x", *at));
    else
        fits = put(json, "\xef\xbf\xbd", 3); /* U+FFFD */
    return fits ? MAX(length, (size_t)1) : 0;
}

/* Writes a quoted text; closes the quotes even if the text was cut. */
static void put_string(struct json *json, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    json->size--;
    if (put(json, "\"", 1)) {
        size_t taken;

        while (*at != '\0' && (taken = put_character(json, at)) > 0)
            at += taken;
        json->text[json->length++] = '"';
    }
    json->size++;
}

/* Writes a member's key, or leaves out the member if not even the quotes of its value fit. */
static bool put_key(struct json *json, const char *key, size_t value_size)
{
    size_t before = json->length;
    char quoted[64];
    size_t length =
        (size_t)snprintf(quoted, sizeof(quoted), "%s\"%.*s\":", before > 1 ? "," : "", 48, key);

    if (json->size - before < length + value_size)
        json->cut = true;
    return put(json, quoted, length);
}

static void put_text(struct json *json, const char *key, const char *text)
{
    if (text && put_key(json, key, 2))
        put_string(json, text);
}

static void put_number(struct json *json, const char *key, int64_t number)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRId64, number);

    if (put_key(json, key, length))
        (void)put(json, digits, length);
}

static void put_unless_empty(struct json *json, const char *key, const char *text)
{
    put_text(json, key, text && text[0] != '\0' ? text : NULL);
}

static const char *level_name(int level)
{
    static const char *const names[] = {"emerg",   "alert",  "crit", "error",
                                        "warning", "notice", "info", "debug"};

    return names[level];
}

/* Returns "authd" for "atrium-authd". */
static const char *service_name(const char *program)
{
    static const char prefix[] = "atrium-";
    size_t length = sizeof(prefix) - 1;

    return strncmp(program, prefix, length) == 0 ? program + length : program;
}

static void put_head(struct json *json, const struct log_record *record)
{
    char now[LOG_TIME_SIZE];

    log_time(now);
    (void)put(json, "{", 1);
    put_text(json, "ts", now);
    put_text(json, "level", level_name(record->level));
    put_text(json, "service", service_name(record->program));
    put_unless_empty(json, "instance", record->instance);
    put_text(json, "topic", record->topic);
}

size_t log_json_head(const struct log_record *record, char *out, size_t size)
{
    struct json json = {.text = out, .size = size};

    put_head(&json, record);
    return json.length;
}

static bool is_request_id(const struct log_field *field)
{
    return !field->is_number && strcmp(field->key, "trace") == 0;
}

static const char *request_id(const struct log_record *record)
{
    for (size_t i = 0; i < record->count; i++)
        if (is_request_id(&record->fields[i]) && record->fields[i].text)
            return record->fields[i].text;
    return record->context.request_id;
}

size_t log_json_write(const struct log_record *record, char *out, size_t size)
{
    struct json json = {.text = out, .size = size - RESERVED};

    put_head(&json, record);
    put_text(&json, "msg", record->message);
    put_unless_empty(&json, "request_id", request_id(record));
    put_unless_empty(&json, "trace_id", record->context.trace_id);
    put_unless_empty(&json, "span_id", record->context.span_id);
    for (size_t i = 0; i < record->count; i++) {
        const struct log_field *field = &record->fields[i];

        if (field->is_number)
            put_number(&json, field->key, field->number);
        else if (!is_request_id(field))
            put_text(&json, field->key, field->text);
    }
    json.size = size;
    if (json.cut) {
        json.cut = false;
        (void)put(&json, TRUNCATED, sizeof(TRUNCATED) - 1);
    }
    (void)put(&json, "}", 1);
    return json.length;
}
