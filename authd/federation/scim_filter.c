/*
 * scim_filter.c - see scim_filter.h.
 */
#include "authd/federation/scim_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/wire/codec.h"

struct parser {
    struct arena *arena;
    const char *at;
    int terms, depth;
    bool in_path; /* within brackets, where no others can be (RFC 7644, figure 1) */
};

int scim_fail(struct error *err, enum error_code code, const char *type, const char *text)
{
    (void)error_set(err, code, "%s", text);
    error_member(err, "scimType", type);
    return -1;
}

/* ---- tokens ---- */

static void skip_spaces(struct parser *self)
{
    self->at += strspn(self->at, " ");
}

static bool take(struct parser *self, char c)
{
    skip_spaces(self);
    if (*self->at != c)
        return false;
    self->at++;
    return true;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '$';
}

/* Takes a word, such as an operator, without regard to case. */
static bool take_word(struct parser *self, const char *word)
{
    size_t length = strlen(word);

    skip_spaces(self);
    if (strncasecmp(self->at, word, length) != 0 || is_name(self->at[length]))
        return false;
    self->at += length;
    return true;
}

/* Splits a name with a schema (RFC 7644, section 3.10); its last colon ends the schema. */
static bool split_schema(struct parser *self, const char *text, const char **ret, const char **sub)
{
    const char *colon = strrchr(text, ':');
    const char *schema = arena_strndup(self->arena, text, (size_t)(colon - text));

    if (strcasecmp(schema, SCIM_USER_SCHEMA) == 0 || strcasecmp(schema, SCIM_GROUP_SCHEMA) == 0) {
        *ret = colon + 1;
        *sub = NULL;
        return true;
    }
    *ret = schema;
    *sub = colon + 1;
    return true;
}

/* Splits "name.givenName". */
static bool split_sub(struct parser *self, const char *text, const char **ret, const char **sub)
{
    const char *dot = strchr(text, '.');

    *ret = dot ? arena_strndup(self->arena, text, (size_t)(dot - text)) : text;
    *sub = dot ? dot + 1 : NULL;
    return isalpha((unsigned char)(*ret)[0]) && (!dot || (dot[1] != '\0' && !strchr(dot + 1, '.')));
}

static bool take_attribute(struct parser *self, const char **ret, const char **sub)
{
    const char *from, *text;

    skip_spaces(self);
    from = self->at;
    while (is_name(*self->at) || *self->at == '.' || *self->at == ':')
        self->at++;
    text = arena_strndup(self->arena, from, (size_t)(self->at - from));
    if (strncasecmp(text, "urn:", 4) != 0)
        return !strchr(text, ':') && split_sub(self, text, ret, sub);
    split_schema(self, text, ret, sub);
    return *sub ? (*sub)[0] != '\0' : split_sub(self, *ret, ret, sub);
}

/* Takes a JSON string, as far as its closing quote. */
static bool take_text(struct parser *self, const char **ret)
{
    const char *end = self->at + 1;
    json_auto_t *json = NULL;

    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    if (*end != '"')
        return false;
    json = json_loadb(self->at, (size_t)(end + 1 - self->at), JSON_DECODE_ANY, NULL);
    if (!json_is_string(json))
        return false;
    *ret = arena_strdup(self->arena, json_string_value(json));
    self->at = end + 1;
    return true;
}

static bool take_number(struct parser *self, double *ret)
{
    size_t length = codec_number_size(self->at, self->at + strlen(self->at));

    if (length == 0 || is_name(self->at[length]))
        return false;
    *ret = strtod(arena_strndup(self->arena, self->at, length), NULL);
    self->at += length;
    return true;
}

static bool take_value(struct parser *self, struct scim_filter *term)
{
    skip_spaces(self);
    if (*self->at == '"') {
        term->kind = SCIM_TEXT;
        return take_text(self, &term->text);
    }
    if (take_word(self, "true"))
        term->kind = SCIM_TRUE;
    else if (take_word(self, "false"))
        term->kind = SCIM_FALSE;
    else if (take_word(self, "null"))
        term->kind = SCIM_NULL;
    else {
        term->kind = SCIM_NUMBER;
        return take_number(self, &term->number);
    }
    return true;
}

/* ---- grammar ---- */

/* Returns NULL beyond the limit. */
static struct scim_filter *new_term(struct parser *self, enum scim_term kind)
{
    struct scim_filter *term = arena_alloc(self->arena, sizeof(*term));

    term->term = kind;
    return ++self->terms > SCIM_TERMS_MAX ? NULL : term;
}

static const struct scim_filter *parse_or(struct parser *self);

static const struct scim_filter *parse_brackets(struct parser *self)
{
    const struct scim_filter *inner;

    if (self->in_path)
        return NULL;
    self->in_path = true;
    inner = parse_or(self);
    self->in_path = false;
    return inner && take(self, ']') ? inner : NULL;
}

static const struct scim_filter *parse_group(struct parser *self)
{
    const struct scim_filter *inner;

    if (++self->depth > SCIM_TERMS_MAX)
        return NULL;
    inner = parse_or(self);
    self->depth--;
    return inner && take(self, ')') ? inner : NULL;
}

static const struct scim_filter *parse_term(struct parser *self)
{
    struct scim_filter *term;

    if (take(self, '('))
        return parse_group(self);
    term = new_term(self, SCIM_PR);
    if (!term || !take_attribute(self, &term->attribute, &term->sub))
        return NULL;
    if (*self->at == '[') {
        self->at++;
        term->term = SCIM_PATH;
        term->left = parse_brackets(self);
        return term->left ? term : NULL;
    }
    if (take_word(self, "pr"))
        return term;
    term->term = SCIM_EQ;
    return take_word(self, "eq") && take_value(self, term) ? term : NULL;
}

static const struct scim_filter *join(struct parser *self, enum scim_term kind,
                                      const struct scim_filter *left,
                                      const struct scim_filter *right)
{
    struct scim_filter *both = right ? new_term(self, kind) : NULL;

    if (!both)
        return NULL;
    both->left = left;
    both->right = right;
    return both;
}

/* `and` binds more tightly than `or`. */
static const struct scim_filter *parse_and(struct parser *self)
{
    const struct scim_filter *left = parse_term(self);

    while (left && take_word(self, "and"))
        left = join(self, SCIM_AND, left, parse_term(self));
    return left;
}

static const struct scim_filter *parse_or(struct parser *self)
{
    const struct scim_filter *left = parse_and(self);

    while (left && take_word(self, "or"))
        left = join(self, SCIM_OR, left, parse_and(self));
    return left;
}

static bool is_over(struct parser *self)
{
    skip_spaces(self);
    return *self->at == '\0';
}

int scim_filter_read(struct arena *arena, const char *text, const struct scim_filter **ret,
                     struct error *err)
{
    struct parser parser = {.arena = arena, .at = text};
    const struct scim_filter *filter = strlen(text) > SCIM_FILTER_MAX ? NULL : parse_or(&parser);

    if (!filter || !is_over(&parser))
        return scim_fail(err, ERR_BAD_REQUEST, "invalidFilter",
                         "The filter is malformed, too long, or uses more than eq, pr, and, or and "
                         "value paths.");
    *ret = filter;
    return 0;
}

static bool parse_path(struct parser *self, struct scim_path *ret)
{
    if (!take_attribute(self, &ret->attribute, &ret->sub))
        return false;
    if (*self->at == '[') {
        self->at++;
        ret->filter = parse_brackets(self);
        if (!ret->filter || ret->sub)
            return false;
        if (*self->at == '.') {
            const char *from = ++self->at;

            self->at +=
                strspn(from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_-0123456789");
            ret->sub = arena_strndup(self->arena, from, (size_t)(self->at - from));
            if (ret->sub[0] == '\0')
                return false;
        }
    }
    return is_over(self);
}

int scim_path_read(struct arena *arena, const char *text, struct scim_path *ret, struct error *err)
{
    struct parser parser = {.arena = arena, .at = text};

    *ret = (struct scim_path){.attribute = NULL};
    if (strlen(text) > SCIM_FILTER_MAX || !parse_path(&parser, ret))
        return scim_fail(err, ERR_BAD_REQUEST, "invalidPath", "The path is malformed.");
    return 0;
}

/* ---- matching ---- */

json_t *scim_member(const json_t *object, const char *name)
{
    json_t *exact = json_object_get(object, name), *value;
    const char *key;

    if (exact)
        return exact;
    /* jansson's iterators take no const objects, but change none. */
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (strcasecmp(key, name) == 0)
            return value;
    }
    return NULL;
}

static bool is_exact(const struct scim_filter *term)
{
    return strcasecmp(term->attribute, "id") == 0 ||
           strcasecmp(term->attribute, "externalId") == 0 ||
           strcasecmp(term->attribute, "members") == 0;
}

static bool equals(const struct scim_filter *term, const json_t *value)
{
    switch (term->kind) {
    case SCIM_TEXT:
        return json_is_string(value) &&
               (is_exact(term) ? strcmp : strcasecmp)(json_string_value(value), term->text) == 0;
    case SCIM_NUMBER:
        return json_is_number(value) && json_number_value(value) == term->number;
    case SCIM_TRUE:
        return json_is_true(value);
    case SCIM_FALSE:
        return json_is_false(value);
    case SCIM_NULL:
        break;
    }
    return json_is_null(value);
}

/* RFC 7644, table 3: `pr` is false for empty values. */
static bool is_present(const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value)[0] != '\0';
    if (json_is_object(value))
        return json_object_size(value) > 0;
    return value && !json_is_null(value);
}

static bool match_value(const struct scim_filter *self, const json_t *value)
{
    if (self->term == SCIM_PATH)
        return json_is_object(value) && scim_filter_match(self->left, value);
    if (json_is_object(value) && (self->sub || self->term == SCIM_EQ))
        value = scim_member(value, self->sub ? self->sub : "value");
    else if (self->sub)
        return false;
    if (!value && self->term == SCIM_EQ && self->kind == SCIM_NULL)
        return true;
    return self->term == SCIM_PR ? is_present(value) : value && equals(self, value);
}

static bool match_attribute(const struct scim_filter *self, const json_t *resource)
{
    const json_t *value = scim_member(resource, self->attribute), *element;
    size_t i;

    if (!json_is_array(value))
        return value ? match_value(self, value) : self->term == SCIM_EQ && self->kind == SCIM_NULL;
    json_array_foreach(value, i, element)
    {
        if (match_value(self, element))
            return true;
    }
    return false;
}

bool scim_filter_match(const struct scim_filter *self, const json_t *resource)
{
    switch (self->term) {
    case SCIM_AND:
        return scim_filter_match(self->left, resource) && scim_filter_match(self->right, resource);
    case SCIM_OR:
        return scim_filter_match(self->left, resource) || scim_filter_match(self->right, resource);
    case SCIM_EQ:
    case SCIM_PR:
    case SCIM_PATH:
        break;
    }
    return match_attribute(self, resource);
}

static bool same_name(const char *name, const char *want)
{
    return name && want ? strcasecmp(name, want) == 0 : name == want;
}

const char *scim_filter_key(const struct scim_filter *self, const char *attribute, const char *sub)
{
    const char *key;

    switch (self->term) {
    case SCIM_AND:
        key = scim_filter_key(self->left, attribute, sub);
        return key ? key : scim_filter_key(self->right, attribute, sub);
    case SCIM_PATH:
        return sub && strcasecmp(self->attribute, attribute) == 0
                   ? scim_filter_key(self->left, sub, NULL)
                   : NULL;
    case SCIM_EQ:
        return self->kind == SCIM_TEXT && strcasecmp(self->attribute, attribute) == 0 &&
                       same_name(self->sub, sub)
                   ? self->text
                   : NULL;
    case SCIM_PR:
    case SCIM_OR:
        break;
    }
    return NULL;
}
