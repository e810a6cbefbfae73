/*
 * smart_scope.c - see smart_scope.h.
 */
#include "authd/session/smart_scope.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    char letter;
    unsigned allows;
} letters[] = {{'c', SMART_CREATE},
               {'r', SMART_READ},
               {'u', SMART_UPDATE},
               {'d', SMART_DELETE},
               {'s', SMART_SEARCH}};

/* "Scopes for requesting FHIR resources": version 1 in letters of version 2. */
static const struct {
    const char *word;
    unsigned allows;
} first_version[] = {
    {"read", SMART_READ | SMART_SEARCH},
    {"write", SMART_CREATE | SMART_UPDATE | SMART_DELETE},
    {"*", SMART_CREATE | SMART_READ | SMART_UPDATE | SMART_DELETE | SMART_SEARCH},
};

static bool is_level(const char *level)
{
    static const char *const levels[] = {"patient", "user", "system"};

    for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
        if (strcmp(levels[i], level) == 0)
            return true;
    return false;
}

static bool is_type(const char *type)
{
    if (strcmp(type, "*") == 0)
        return true;
    if (!isupper((unsigned char)*type))
        return false;
    for (; *type; type++)
        if (!isalpha((unsigned char)*type))
            return false;
    return true;
}

/* Copies up to `end`; NULL: missing, or too long. */
static const char *part(const char *from, char end, char *to, size_t size)
{
    const char *at = strchr(from, end);

    if (!at || at == from || (size_t)(at - from) >= size)
        return NULL;
    memcpy(to, from, (size_t)(at - from));
    to[at - from] = '\0';
    return at + 1;
}

static int parse_first_version(const char *word, struct smart_scope *ret)
{
    for (size_t i = 0; i < ARRAY_SIZE(first_version); i++) {
        if (strcmp(first_version[i].word, word) != 0)
            continue;
        ret->allows = first_version[i].allows;
        ret->first_version = true;
        return 0;
    }
    return -1;
}

/* Parses the letters of version 2: each at most once, in the order "cruds". */
static int parse_letters(const char *at, struct smart_scope *ret)
{
    for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
        if (*at == letters[i].letter) {
            ret->allows |= letters[i].allows;
            at++;
        }
    }
    if (*at == '?' && at[1] != '\0') {
        ret->query = at + 1;
        return ret->allows ? 0 : -1;
    }
    return *at == '\0' && ret->allows ? 0 : -1;
}

int smart_scope_parse(const char *word, struct smart_scope *ret)
{
    const char *at = word;

    *ret = (struct smart_scope){.query = NULL};
    if (strlen(word) > SMART_SCOPE_MAX)
        return -1;
    at = part(at, '/', ret->level, sizeof(ret->level));
    if (!at || !is_level(ret->level))
        return -1;
    at = part(at, '.', ret->type, sizeof(ret->type));
    if (!at || !is_type(ret->type))
        return -1;
    return parse_first_version(at, ret) == 0 ? 0 : parse_letters(at, ret);
}

bool smart_scope_is_personal(const char *word)
{
    struct smart_scope scope;

    return smart_scope_parse(word, &scope) == 0 && strcmp(scope.level, "system") != 0;
}

bool smart_scope_needs_server(const char *word)
{
    static const char *const prefixes[] = {"launch/", "patient/", "user/"};

    for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
        if (strncmp(word, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return strcmp(word, "launch") == 0;
}

bool smart_scope_meet(const struct smart_scope *wanted, const struct smart_scope *limit,
                      struct smart_scope *ret)
{
    struct smart_scope both = *wanted;

    if (strcmp(wanted->level, limit->level) != 0)
        return false;
    if (strcmp(wanted->type, "*") == 0)
        snprintf(both.type, sizeof(both.type), "%s", limit->type);
    else if (strcmp(limit->type, "*") != 0 && strcmp(limit->type, wanted->type) != 0)
        return false;
    both.allows &= limit->allows;
    if (!both.query)
        both.query = limit->query;
    else if (limit->query && strcmp(limit->query, both.query) != 0)
        return false;
    *ret = both;
    return both.allows != 0;
}

const char *smart_scope_print(struct arena *arena, const struct smart_scope *self)
{
    char may[ARRAY_SIZE(letters) + 1];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(first_version); i++)
        if (self->first_version && !self->query && self->allows == first_version[i].allows)
            return arena_printf(arena, "%s/%s.%s", self->level, self->type, first_version[i].word);
    for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
        if (self->allows & letters[i].allows)
            may[count++] = letters[i].letter;
    may[count] = '\0';
    return arena_printf(arena, "%s/%s.%s%s%s", self->level, self->type, may, self->query ? "?" : "",
                        self->query ? self->query : "");
}

/* Excludes characters that JSON and headers escape, and spaces (RFC 6749, section 3.3). */
static bool is_plain(const char *value)
{
    for (; *value; value++)
        if (*value <= ' ' || *value > '~' || *value == '"' || *value == '\\')
            return false;
    return true;
}

int smart_scope_patient_check(const char *value, char why[static 96])
{
    struct smart_scope scope;

    snprintf(why, 96, "must be a scope such as patient/Observation.rs");
    return is_plain(value) && smart_scope_parse(value, &scope) == 0 && !scope.first_version &&
                   strcmp(scope.level, "patient") == 0
               ? 0
               : -1;
}

int smart_scope_practitioner_check(const char *value, char why[static 96])
{
    struct smart_scope scope;

    snprintf(why, 96, "must be a scope such as user/Observation.rs or patient/Observation.rs");
    return is_plain(value) && smart_scope_parse(value, &scope) == 0 && !scope.first_version &&
                   strcmp(scope.level, "system") != 0
               ? 0
               : -1;
}
