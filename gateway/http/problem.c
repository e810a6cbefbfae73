/*
 * problem.c - see problem.h.
 *
 * Between daemons a problem is a path and a text (common/bus/WIRE.md). The table finds the code by
 * the text, so that problems of daemons of other versions have codes, too.
 */
#include "gateway/http/problem.h"

#include <stdlib.h>

/* text: %d is a number, %l a list, %s any text; * at the end is any rest. params: the value's name,
 * and constant ones as name=value. The first row that fits a problem counts. */
static const struct problem_kind {
    const char *code, *text, *params;
} kinds[] = {
    {"REQUIRED", "is required*", ""},
    {"REQUIRED", "must contain a visible character", ""},
    {"WRONG_TYPE", "must be a string", "type=string"},
    {"WRONG_TYPE", "must be an integer", "type=integer"},
    {"WRONG_TYPE", "must be a boolean", "type=boolean"},
    {"WRONG_TYPE", "must be true or false", "type=boolean"},
    {"WRONG_TYPE", "must be an array", "type=array"},
    {"WRONG_TYPE", "must be an object", "type=object"},
    {"WRONG_TYPE", "must be a JSON object", "type=object"},
    {"TOO_SHORT", "must be at least %d character*", "min unit=character"},
    {"TOO_SHORT", "must have at least %d characters", "min unit=character"},
    {"TOO_SHORT", "must be at least %d byte*", "min unit=byte"},
    {"TOO_LONG", "must be at most %d character*", "max unit=character"},
    {"TOO_LONG", "must be at most %d byte*", "max unit=byte"},
    {"TOO_LONG", "must have at most %d bytes", "max unit=byte"},
    {"TOO_FEW", "must have at least %d item*", "min"},
    {"TOO_FEW", "must have at least one entry", ""},
    {"TOO_MANY", "must have at most %d items", "max"},
    {"TOO_MANY", "must be an array of at most %d rules", "max"},
    {"TOO_MANY", "must be an array of at most %d", "max"},
    {"TOO_SMALL", "must be at least %d", "min"},
    {"TOO_LARGE", "must be at most %d", "max"},
    {"UNKNOWN_VALUE", "must be one of the languages", ""},
    {"UNKNOWN_VALUE", "must be one of %l", "allowed"},
    {"UNKNOWN_VALUE", "must be a language of the project", ""},
    {"UNKNOWN_VALUE", "must name *", ""},
    {"DUPLICATE", "must not appear twice", ""},
    {"NOT_ALLOWED", "is only allowed *", ""},
    {"NOT_ALLOWED", "must be absent *", ""},
    {"NOT_ALLOWED", "must be false for a patient", ""},
    {"INVALID_FORMAT", "must be a valid e-mail address", "format=email"},
    {"INVALID_FORMAT", "must be a UUID", "format=uuid"},
    {"INVALID_FORMAT", "must be a time in ISO 8601 form", "format=date-time"},
    {"INVALID_FORMAT", "must be JSON", "format=json"},
    {"INVALID_FORMAT", "must be valid UTF-8", "format=utf-8"},
    {"INVALID_FORMAT", "must be an absolute https URL*", "format=https-url"},
    {"INVALID_FORMAT", "must be an https URL*", "format=https-url"},
    {"INVALID_FORMAT", "must be an absolute http or https URL", "format=url"},
    {"INVALID_FORMAT", "must be an absolute URL", "format=url"},
    {"INVALID_FORMAT", "must be an absolute URI*", "format=uri"},
    {"INVALID_FORMAT", "must be https, http on 127.0.0.1*", "format=redirect-uri"},
    {"INVALID_FORMAT", "must be a language tag*", "format=language-tag"},
    {"INVALID_FORMAT", "must be an IP network*", "format=ip-network"},
    {"INVALID_FORMAT", "must be an IP address", "format=ip-address"},
    {"INVALID_FORMAT", "must be a color*", "format=color"},
    {"INVALID_FORMAT", "must contain only lower-case letters*", "format=slug"},
    {"INVALID_FORMAT", "must contain only digits", "format=digits"},
    {"INVALID_FORMAT", "must contain only printable ASCII*", "format=ascii"},
    {"INVALID_FORMAT", "must not contain control characters*", "format=plain-text"},
    {"INVALID_FORMAT", "must be a MIME type*", "format=media-type"},
    {"INVALID_FORMAT", "must be a file name*", "format=file-name"},
    {"INVALID_FORMAT", "must be base64*", "format=base64"},
    {"INVALID_FORMAT", "must be AccessPolicy/<id>", "format=reference"},
    {"INVALID_IMAGE", "needs a JPEG, PNG*", ""},
    {"INVALID_IMAGE", "needs an undamaged image", ""},
    {"IMAGE_TOO_LARGE", "needs an image of at most %d megapixels", "max"},
    {"LOW_CONTRAST", "must have a contrast of at least*", ""},
    {"COMMON_PASSWORD", "is one of the passwords that are tried first", ""},
    {"PERSONAL_PASSWORD", "must not be a name, an e-mail address or a tenant code", ""},
    {"UNKNOWN_VARIABLE", "must not contain {{%s}}: this template*", "variable"},
    {"UNCLOSED_VARIABLE", "must not contain {{ without }}", ""},
    {"SECRET_IN_SUBJECT", "must not contain a link with a secret", ""},
    {"INVALID", "*", ""},
};

static json_t *list_of(char *text)
{
    json_t *list = json_array();
    char *rest = NULL;

    for (char *each = strtok_r(text, ", ", &rest); each; each = strtok_r(NULL, ", ", &rest))
        json_array_append_new(list, json_string(each));
    return list;
}

/* Returns NULL if `text` is no value of the type. */
static json_t *value_of(char type, char *text)
{
    char *end;
    long long number = strtoll(text, &end, 10);

    if (type == 'd')
        return *text != '\0' && *end == '\0' ? json_integer(number) : NULL;
    return type == 'l' ? list_of(text) : json_string(text);
}

/* Consumes `value`, which can be NULL. */
static json_t *name_params(const char *names, json_t *value, struct arena *arena)
{
    json_t *params = json_object();
    char *rest = NULL;

    for (char *name = strtok_r(arena_strdup(arena, names), " ", &rest); name;
         name = strtok_r(NULL, " ", &rest)) {
        char *constant = strchr(name, '=');

        if (constant)
            *constant++ = '\0';
        json_object_set_new(params, name, constant ? json_string(constant) : value);
    }
    return params;
}

/* Returns the kind's params if it fits the text, or NULL. */
static json_t *params_of(const struct problem_kind *kind, const char *text, struct arena *arena)
{
    size_t head = strcspn(kind->text, "%*");
    const char *rest = kind->text + head, *from = text + head, *to;
    json_t *value = NULL;

    if (strncmp(text, kind->text, head) != 0 || (*rest == '\0' && *from != '\0'))
        return NULL;
    if (*rest == '%') {
        size_t size = strcspn(rest + 2, "*");

        to = size > 0 ? strstr(from, arena_strndup(arena, rest + 2, size)) : from + strlen(from);
        if (!to || (rest[2 + size] == '\0' && to[size] != '\0'))
            return NULL;
        value = value_of(rest[1], arena_strndup(arena, from, (size_t)(to - from)));
        if (!value)
            return NULL;
    }
    return name_params(kind->params, value, arena);
}

json_t *problem_json(const struct error_item *problem, struct arena *arena)
{
    json_t *params, *json;
    size_t i = 0;

    while (!(params = params_of(&kinds[i], problem->value, arena)))
        i++; /* the last row fits every text */
    json = json_pack("{s:s, s:s, s:s}", "path", problem->name, "message", problem->value, "code",
                     kinds[i].code);
    if (json_object_size(params) > 0)
        json_object_set(json, "params", params);
    json_decref(params);
    return json;
}

const char *problem_code(size_t index)
{
    return index < ARRAY_SIZE(kinds) ? kinds[index].code : NULL;
}
