/* json_text.c - untrusted JSON to a tree, and back; see codec.h. */
#include "common/base/file.h"
#include "common/wire/json_number.h"

/* Returns the offset of nesting that is too deep, or `size`. jansson would recurse 2,048 deep, too
 * much for a fiber. */
static size_t json_too_deep_at(const char *text, size_t size)
{
    bool in_string = false;
    int depth = 0;

    for (size_t i = 0; i < size; i++) {
        if (in_string) {
            if (text[i] == '\\')
                i++;
            else if (text[i] == '"')
                in_string = false;
        } else if (text[i] == '"') {
            in_string = true;
        } else if (text[i] == '[' || text[i] == '{') {
            if (++depth > CODEC_DEPTH_MAX)
                return i;
        } else if (text[i] == ']' || text[i] == '}') {
            depth--;
        }
    }
    return size;
}

/* Reports only code and position: jansson's message can quote the text, perhaps a password. */
static const char *json_mistake(const json_error_t *mistake)
{
    switch (json_error_code(mistake)) {
    case json_error_duplicate_key:
        return "duplicate key";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "U+0000 is not allowed";
    case json_error_numeric_overflow:
        return "number out of range";
    case json_error_invalid_utf8:
        return "invalid UTF-8";
    case json_error_premature_end_of_input:
        return "unexpected end";
    case json_error_end_of_input_expected:
        return "text behind the value";
    default:
        return "syntax error";
    }
}

void codec_skip_mark(const char **text, size_t *size)
{
    const size_t length = strlen(FILE_MARK);

    if (*size >= length && memcmp(*text, FILE_MARK, length) == 0) {
        *text += length;
        *size -= length;
    }
}

/* `marked`: json_number_mark()'s result, where only numbers have U+0000, or NULL. */
static json_t *load(const struct codec_buffer *marked, const char *text, size_t size,
                    struct error *err)
{
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    json_error_t mistake;
    json_t *json = marked ? json_loadb((const char *)marked->bytes, marked->size,
                                       flags | JSON_ALLOW_NUL, &mistake)
                          : json_loadb(text, size, flags, &mistake);

    if (json)
        return json;
    if (marked)
        mistake.column -= json_number_shift((const char *)marked->bytes, (size_t)mistake.position);
    error_set(err, ERR_BAD_REQUEST, "Invalid JSON: %s at line %d, column %d.",
              marked && json_error_code(&mistake) == json_error_null_byte_in_key
                  ? "syntax error"
                  : json_mistake(&mistake),
              mistake.line, mistake.column);
    return NULL;
}

/* `exact`: numbers keep their text. */
static json_t *parse(const char *text, size_t size, bool exact, struct error *err)
{
    struct codec_buffer marked = {.arena = NULL};
    size_t deep = json_too_deep_at(text, size);
    const char *zero = size > 0 ? memchr(text, '\0', size) : NULL;
    json_t *json = NULL;

    /* Reject U+0000, because jansson skips one after a number or word. */
    if (zero)
        error_set(err, ERR_BAD_REQUEST, "Invalid JSON: U+0000 is not allowed, at byte %td.",
                  zero - text);
    else if (deep < size)
        error_set(err, ERR_BAD_REQUEST, "Invalid JSON: nested deeper than %d at byte %zu.",
                  CODEC_DEPTH_MAX, deep);
    else
        json =
            load(exact && json_number_mark(text, size, &marked) ? &marked : NULL, text, size, err);
    if (marked.bytes)
        explicit_bzero(marked.bytes, marked.size);
    free(marked.bytes);
    return json;
}

static json_t *parse_value(const char *text, size_t size, bool exact, bool must_be_object,
                           struct error *err)
{
    json_t *json;

    codec_skip_mark(&text, &size);
    json = parse(text, size, exact, err);
    if (json && must_be_object && !json_is_object(json)) {
        json_decref(json);
        error_set(err, ERR_BAD_REQUEST, "The body must be a JSON object.");
        return NULL;
    }
    return json;
}

json_t *codec_parse_json(const char *text, size_t size, bool must_be_object, struct error *err)
{
    return parse_value(text, size, false, must_be_object, err);
}

json_t *codec_parse_exact(const char *text, size_t size, bool must_be_object, struct error *err)
{
    return parse_value(text, size, true, must_be_object, err);
}

static int write_dump(const char *bytes, size_t size, void *buffer)
{
    return codec_write(buffer, bytes, size);
}

char *codec_dump_json(struct arena *arena, const json_t *json)
{
    struct codec_buffer buffer;

    codec_buffer_init(&buffer, arena);
    if (json_dump_callback(json, write_dump, &buffer, JSON_COMPACT | JSON_ENCODE_ANY) < 0)
        return arena_strdup(arena, "null"); /* jansson could not have read the value */
    codec_write(&buffer, "", 1);
    json_number_unmark((char *)buffer.bytes);
    return (char *)buffer.bytes;
}

void codec_set_text(json_t *object, const char *name, const char *text)
{
    if (text && text[0] != '\0')
        json_object_set_new(object, name, json_string(text));
}
