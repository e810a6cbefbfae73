/* error.c - see error.h. */
#include "common/base/error.h"

#include <assert.h>
#include <stdio.h>
#include <syslog.h>

#ifdef __clang_analyzer__
#undef error_set
#undef error_detail
#undef error_problem
#undef error_retry
#endif

static const struct error_kind kinds[ERROR_CODE_COUNT] = {
    [ERR_NONE] = {"NONE", 200, LOG_INFO, false},
#define ERROR(code, wire, status, level, shown) [code] = {wire, status, level, shown},
#include "common/base/errors.def"
#undef ERROR
};

static const struct {
    int status;
    const char *name;
} status_names[] = {
    {200, "OK"},
    {204, "No Content"},
    {206, "Partial Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {412, "Precondition Failed"},
    {413, "Payload Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {422, "Unprocessable Entity"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
};

static bool is_validation(enum error_code code)
{
    return error_kind(code)->status == 422;
}

static void forget_problems(struct error *self)
{
    self->problems = NULL;
    self->problems_tail = NULL;
    self->problem_count = 0;
}

/* Cuts between characters: half a character is invalid in JSON and frames. */
static void PRINTF_LIKE(3, 0) print_cut(char *text, size_t size, const char *format, va_list args)
{
    int length = vsnprintf(text, size, format, args);
    size_t end = size - 1, tail = 0; /* continuation bytes of the last character */
    uint8_t lead;

    if (length < 0 || (size_t)length < size)
        return;
    while (tail < 3 && ((uint8_t)text[end - 1 - tail] & 0xc0) == 0x80)
        tail++;
    lead = (uint8_t)text[end - 1 - tail];
    if (lead >= 0xc0 && tail < (lead >= 0xf0 ? 3U : lead >= 0xe0 ? 2U : 1U))
        text[end - 1 - tail] = '\0';
}

/* While the list is empty, `tail` is NULL instead of a pointer into the struct, so that a struct
 * error can be copied. */
static void append(struct error *self, struct error_item **head, struct error_item ***tail,
                   const char *name, const char *value)
{
    struct error_item *item;

    assert(self->arena != NULL);
    item = arena_alloc(self->arena, sizeof(*item));
    item->name = arena_strdup(self->arena, name);
    item->value = arena_strdup(self->arena, value);
    *(!*tail ? head : *tail) = item;
    *tail = &item->next;
}

void error_init(struct error *self, struct arena *arena)
{
    *self = (struct error){.arena = arena};
}

void error_clear(struct error *self)
{
    error_init(self, self->arena);
}

void error_copy(struct error *self, const struct error *from)
{
    struct arena *arena = self->arena;

    *self = *from;
    self->arena = arena;
    self->problem_count = arena ? from->problem_count : 0;
    self->problems = self->members = NULL;
    self->problems_tail = self->members_tail = NULL;
    for (const struct error_item *each = from->problems; arena && each; each = each->next)
        append(self, &self->problems, &self->problems_tail, each->name, each->value);
    for (const struct error_item *each = from->members; arena && each; each = each->next)
        append(self, &self->members, &self->members_tail, each->name, each->value);
}

int error_set(struct error *self, enum error_code code, const char *format, ...)
{
    char message[sizeof(self->message)]; /* the arguments can include the old message */
    va_list args;

    va_start(args, format);
    print_cut(message, sizeof(message), format, args);
    va_end(args);
    memcpy(self->message, message, sizeof(message));
    self->code = code;
    self->detail[0] = self->sqlstate[0] = self->constraint[0] = '\0';
    self->retry_after_s = 0;
    if (!is_validation(code))
        forget_problems(self);
    return -1;
}

int error_detail(struct error *self, const char *format, ...)
{
    char detail[sizeof(self->detail)];
    va_list args;

    va_start(args, format);
    print_cut(detail, sizeof(detail), format, args);
    va_end(args);
    memcpy(self->detail, detail, sizeof(detail));
    return -1;
}

int error_problem(struct error *self, const char *path, const char *format, ...)
{
    char text[sizeof(self->message)];
    va_list args;

    va_start(args, format);
    print_cut(text, sizeof(text), format, args);
    va_end(args);
    if (!is_validation(self->code))
        error_set(self, ERR_VALIDATION, "Validation failed.");
    if (self->problem_count++ < ERROR_ITEMS_MAX)
        append(self, &self->problems, &self->problems_tail, path, text);
    return -1;
}

void error_member(struct error *self, const char *name, const char *value)
{
    append(self, &self->members, &self->members_tail, name, value);
}

int error_retry(struct error *self, enum error_code code, int64_t after_s, const char *message)
{
    error_set(self, code, "%s", message);
    self->retry_after_s = after_s;
    return -1;
}

void error_limit(struct error *self, int64_t limit, int64_t remaining, int64_t reset_s)
{
    if (self->limit > 0 && self->remaining <= remaining)
        return;
    self->limit = limit;
    self->remaining = remaining;
    self->reset_s = reset_s;
}

const struct error_kind *error_kind(enum error_code code)
{
    return &kinds[(unsigned)code < ERROR_CODE_COUNT ? code : ERR_INTERNAL];
}

enum error_code error_from_wire(const char *wire)
{
    for (int code = ERR_NONE + 1; code < ERROR_CODE_COUNT; code++)
        if (strcmp(kinds[code].wire, wire) == 0)
            return (enum error_code)code;
    return ERR_INTERNAL;
}

const char *error_status_name(int status)
{
    for (size_t i = 0; i < ARRAY_SIZE(status_names); i++)
        if (status_names[i].status == status)
            return status_names[i].name;
    return "Error";
}
