/* config.c - see config.h. */
#include "common/service/config.h"

#include <errno.h>
#include <stdio.h>

#include "common/base/file.h"
#include "common/service/config_line.h"
#include "common/wire/codec.h"

enum {
    FILE_SIZE_MAX = 1024 * 1024,
    LINE_MAX_SIZE = 1000,
    INDENT = 4,
    LIST_ITEMS_MAX = 256,
};

struct unit {
    const char *name;
    int64_t factor;
};

/* Ascending: printing uses the largest that divides. */
static const struct unit durations[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
static const struct unit sizes[] = {{"", 1}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};

struct section_state {
    struct config_origin first;    /* first occurrence; file NULL: none */
    const char *file;              /* the last file with this section */
    int line;                      /* line at which the section starts in that file */
    struct config_origin *origins; /* per key */
};

struct reader {
    const char *path; /* current file, or file of a value */
    const struct config_section *sections;
    size_t count;
    struct arena *arena;
    struct error *err;
    int line;
    const struct config_section *section; /* current section; NULL: a section of another program */
    bool complete;                        /* the sections of all programs are known */
    bool began;                           /* a section of the file has begun */
    struct section_state *states;
};

static int PRINTF_LIKE(2, 3) fail(const struct reader *reader, const char *format, ...)
{
    const char *what;
    va_list args;

    va_start(args, format);
    what = arena_vprintf(reader->arena, format, args);
    va_end(args);
    if (reader->line == 0)
        return error_set(reader->err, ERR_BAD_REQUEST, "%s: %s", reader->path, what);
    return error_set(reader->err, ERR_BAD_REQUEST, "%s:%d: %s", reader->path, reader->line, what);
}

/* ---- values ---- */

static char *print_unit(struct arena *arena, int64_t value, const struct unit *units, size_t count)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (value != 0 && value % units[i].factor == 0)
            best = i;
    return arena_printf(arena, "%jd%s", (intmax_t)(value / units[best].factor), units[best].name);
}

static char *print_ratio(struct arena *arena, int64_t millionths)
{
    char *text = arena_printf(arena, "%jd.%06jd", (intmax_t)(millionths / CONFIG_RATIO_ONE),
                              (intmax_t)(millionths % CONFIG_RATIO_ONE));
    size_t length = strlen(text);

    while (text[length - 1] == '0')
        length--;
    text[text[length - 1] == '.' ? length - 1 : length] = '\0';
    return text;
}

static char *print_number(struct arena *arena, enum config_type type, int64_t value)
{
    if (type == CONFIG_TYPE_DURATION)
        return print_unit(arena, value, durations, ARRAY_SIZE(durations));
    if (type == CONFIG_TYPE_SIZE)
        return print_unit(arena, value, sizes, ARRAY_SIZE(sizes));
    if (type == CONFIG_TYPE_RATIO)
        return print_ratio(arena, value);
    return arena_printf(arena, "%jd", (intmax_t)value);
}

/* Parses digits (with '-' if there are no units), then a unit. */
static bool parse_number(const char *text, const struct unit *units, size_t count, int64_t *ret)
{
    char *end;
    long long number;

    if (!(*text >= '0' && *text <= '9') && !(count == 0 && *text == '-' && text[1] >= '0'))
        return false;
    errno = 0;
    number = strtoll(text, &end, 10);
    *ret = number;
    if (errno)
        return false;
    if (count == 0)
        return *end == '\0';
    for (size_t i = 0; i < count; i++)
        if (strcmp(end, units[i].name) == 0)
            return !__builtin_mul_overflow(number, units[i].factor, ret);
    return false;
}

/* Parses "0", "1" or "0.0125", with at most six decimals. */
static bool parse_ratio(const char *text, int64_t *ret)
{
    int64_t factor = CONFIG_RATIO_ONE;
    size_t whole = strspn(text, "0123456789");

    if (whole != 1)
        return false;
    *ret = (text[0] - '0') * factor;
    if (text[1] == '\0')
        return true;
    if (text[1] != '.' || text[2] == '\0')
        return false;
    for (text += 2; *text >= '0' && *text <= '9' && factor > 1; text++)
        *ret += (*text - '0') * (factor /= 10);
    return *text == '\0';
}

static bool parse_by_type(enum config_type type, const char *text, int64_t *ret)
{
    if (type == CONFIG_TYPE_DURATION)
        return parse_number(text, durations, ARRAY_SIZE(durations), ret);
    if (type == CONFIG_TYPE_SIZE)
        return parse_number(text, sizes, ARRAY_SIZE(sizes), ret);
    if (type == CONFIG_TYPE_RATIO)
        return parse_ratio(text, ret);
    return parse_number(text, NULL, 0, ret);
}

static const char *kind_of(enum config_type type)
{
    switch (type) {
    case CONFIG_TYPE_DURATION:
        return "a time such as 500ms, 10s, 5m, 2h, 30d";
    case CONFIG_TYPE_SIZE:
        return "a size such as 512, 64k, 100M, 1G";
    case CONFIG_TYPE_RATIO:
        return "a part such as 0, 0.01, 1";
    default:
        return "a number";
    }
}

static int set_number(const struct reader *reader, const struct config_row *row, const char *text,
                      int64_t *ret)
{
    int64_t number;

    if (!parse_by_type(row->type, text, &number))
        return fail(reader, "%s must be %s, not \"%s\"", row->key, kind_of(row->type), text);
    if (number < row->min || (row->max != 0 && number > row->max))
        return fail(reader, "%s must be between %s and %s, not %s", row->key,
                    print_number(reader->arena, row->type, row->min),
                    print_number(reader->arena, row->type, row->max ? row->max : INT64_MAX), text);
    *ret = number;
    return 0;
}

/* Expands $CREDENTIALS_DIRECTORY, where systemd puts a unit's secrets. */
static const char *expand_path(struct arena *arena, const char *text)
{
    static const char variable[] = "$CREDENTIALS_DIRECTORY/";
    const char *directory = getenv("CREDENTIALS_DIRECTORY");

    if (strncmp(text, variable, strlen(variable)) != 0)
        return text;
    return directory ? arena_printf(arena, "%s/%s", directory, text + strlen(variable)) : NULL;
}

static bool is_among(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");

        if (size == length && strncmp(at, word, size) == 0)
            return true;
        at += size;
    }
    return false;
}

static int set_text(const struct reader *reader, const struct config_row *row, const char *text,
                    const char **ret)
{
    size_t length;

    if (row->type == CONFIG_TYPE_PATH) {
        text = expand_path(reader->arena, text);
        if (!text)
            return fail(reader, "%s: $CREDENTIALS_DIRECTORY is not set", row->key);
        if (*text != '/')
            return fail(reader, "%s must be an absolute path, not \"%s\"", row->key, text);
    }
    length = strlen(text);
    if (length < (size_t)row->min || (row->max != 0 && length > (size_t)row->max))
        return fail(reader, "%s must have between %jd and %jd bytes", row->key, (intmax_t)row->min,
                    (intmax_t)row->max);
    if (row->choices && !is_among(row->choices, text))
        return fail(reader, "%s must be one of %s, not \"%s\"", row->key, row->choices, text);
    *ret = arena_strdup(reader->arena, text);
    return 0;
}

static int set_bool(const struct reader *reader, const struct config_row *row, const char *text,
                    bool *ret)
{
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return fail(reader, "%s must be true or false, not \"%s\"", row->key, text);
    *ret = strcmp(text, "true") == 0;
    return 0;
}

static int set_list(const struct reader *reader, const struct config_row *row, const char *text,
                    const char ***ret)
{
    const char **items = arena_calloc(reader->arena, LIST_ITEMS_MAX + 1, sizeof(*items));
    size_t count = 0;

    text += strspn(text, " \t");
    for (bool more = *text != '\0'; more;) {
        size_t length = strcspn(text, ","), word = length;

        while (word > 0 && (text[word - 1] == ' ' || text[word - 1] == '\t'))
            word--;
        if (word == 0)
            return fail(reader, "%s has an empty word between commas", row->key);
        if (count == LIST_ITEMS_MAX)
            return fail(reader, "%s has more than %d words", row->key, LIST_ITEMS_MAX);
        items[count++] = arena_strndup(reader->arena, text, word);
        more = text[length] == ',';
        text += length + more;
        text += strspn(text, " \t");
    }
    *ret = items;
    return 0;
}

static int set_value(const struct reader *reader, const struct config_section *section,
                     const struct config_row *row, const char *text)
{
    void *member = (char *)section->out + row->offset;

    /* A file could not quote both, so config_print() could not write it. */
    if (strchr(text, '"') && strchr(text, '\''))
        return fail(reader, "%s can contain \" or ', but not both", row->key);
    switch (row->type) {
    case CONFIG_TYPE_TEXT:
    case CONFIG_TYPE_PATH:
        return set_text(reader, row, text, member);
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_RATIO:
    case CONFIG_TYPE_DURATION:
    case CONFIG_TYPE_SIZE:
        return set_number(reader, row, text, member);
    case CONFIG_TYPE_BOOL:
        return set_bool(reader, row, text, member);
    case CONFIG_TYPE_LIST:
        return set_list(reader, row, text, member);
    }
    return -1;
}

static void clear_value(const struct reader *reader, const struct config_section *section,
                        const struct config_row *row)
{
    void *member = (char *)section->out + row->offset;

    if (row->type == CONFIG_TYPE_TEXT || row->type == CONFIG_TYPE_PATH)
        *(const char **)member = NULL;
    else if (row->type == CONFIG_TYPE_BOOL)
        *(bool *)member = false;
    else if (row->type == CONFIG_TYPE_LIST)
        *(const char ***)member = arena_calloc(reader->arena, 1, sizeof(const char *));
    else
        *(int64_t *)member = 0;
}

/* ---- lines ---- */

static int read_section_line(struct reader *reader, const struct config_line *line)
{
    reader->section = NULL;
    reader->began = true;
    if (*line->value != '\0')
        return fail(reader, "\"%s\" is outside of a section: indent it by %d spaces", line->name,
                    INDENT);
    for (size_t i = 0; i < reader->count; i++) {
        struct section_state *state = &reader->states[i];

        if (strcmp(reader->sections[i].name, line->name) != 0)
            continue;
        if (state->file == reader->path)
            return fail(reader, "section \"%s\" already began on line %d", line->name, state->line);
        reader->section = &reader->sections[i];
        state->file = reader->path;
        state->line = reader->line;
        if (!state->first.file)
            state->first = (struct config_origin){reader->path, reader->line, NULL};
    }
    if (!reader->section && reader->complete)
        return fail(reader, "no program has a section \"%s\"", line->name);
    return 0;
}

/* Notes the value, which a later file can override. */
static int read_key_line(struct reader *reader, const struct config_line *line)
{
    const struct config_section *section = reader->section;
    struct config_origin *origins = reader->states[section - reader->sections].origins;

    for (size_t i = 0; i < section->count; i++) {
        if (strcmp(section->rows[i].key, line->name) != 0)
            continue;
        if (origins[i].file == reader->path)
            return fail(reader, "%s is already set on line %d", line->name, origins[i].line);
        origins[i] = (struct config_origin){reader->path, reader->line,
                                            arena_strdup(reader->arena, line->value)};
        return 0;
    }
    return fail(reader, "section \"%s\" has no key \"%s\"", section->name, line->name);
}

static int read_line(struct reader *reader, char *text)
{
    size_t indent = strspn(text, " ");
    struct config_line line;
    const char *wanted;

    if (strlen(text) > LINE_MAX_SIZE)
        return fail(reader, "longer than %d bytes", LINE_MAX_SIZE);
    if (text[strspn(text, " \t\r")] == '\0' || text[indent] == '#')
        return 0;
    if (indent > 0 && !reader->section)
        return reader->began ? 0 : fail(reader, "a section's name must come before its keys");
    wanted = config_line_split(text + indent, &line);
    if (wanted)
        return fail(reader, "%s", wanted);
    if (*line.name == '\0')
        return 0;
    if (indent == 0)
        return read_section_line(reader, &line);
    if (indent != INDENT)
        return fail(reader, "keys are indented by %d spaces", INDENT);
    return read_key_line(reader, &line);
}

static int read_lines(struct reader *reader, char *text)
{
    while (text) {
        char *line = strsep(&text, "\n");

        reader->line++;
        if (read_line(reader, line) < 0)
            return -1;
    }
    return 0;
}

static int set_row(struct reader *reader, const struct config_section *section,
                   const struct section_state *state, size_t i)
{
    const struct config_origin *origin = &state->origins[i];
    const struct config_row *row = &section->rows[i];

    if (origin->file) {
        reader->path = origin->file;
        reader->line = origin->line;
        return set_value(reader, section, row, origin->text);
    }
    if (state->first.file) {
        reader->path = state->first.file;
        reader->line = state->first.line;
    }
    if (row->flags & CONFIG_REQUIRED)
        return fail(reader, "section \"%s\" must have the key \"%s\"", section->name, row->key);
    clear_value(reader, section, row);
    return row->fallback ? set_value(reader, section, row, row->fallback) : 0;
}

static int set_rows(struct reader *reader, const char *path)
{
    for (size_t s = 0; s < reader->count; s++) {
        const struct config_section *section = &reader->sections[s];

        for (size_t i = 0; section->out && i < section->count; i++) {
            reader->path = path;
            reader->line = 0;
            if (set_row(reader, section, &reader->states[s], i) < 0)
                return -1;
            if (section->origins)
                section->origins[i] = reader->states[s].origins[i];
        }
    }
    return 0;
}

/* Uses the heap, since a configuration's arena lives as long as the process. */
static char *read_file(const struct reader *reader)
{
    CLEANUP(file_close) FILE *file = fopen(reader->path, "re");
    CLEANUP(memory_free) char *text = malloc(FILE_SIZE_MAX + 2);
    size_t size;

    if (!file || !text) {
        fail(reader, "%s", strerror(errno));
        return NULL;
    }
    file_skip_mark(file);
    size = fread(text, 1, FILE_SIZE_MAX + 1, file);
    if (ferror(file)) {
        fail(reader, "%s", strerror(errno));
        return NULL;
    }
    if (size > FILE_SIZE_MAX || !codec_is_text(text, size)) {
        fail(reader, size > FILE_SIZE_MAX ? "too large" : "not UTF-8 text");
        return NULL;
    }
    text[size] = '\0';
    return TAKE_PTR(text);
}

static int read_one(struct reader *reader, const char *path)
{
    CLEANUP(memory_free) char *text = NULL;

    reader->path = path;
    reader->line = 0;
    reader->section = NULL;
    reader->began = false;
    text = read_file(reader);
    return text ? read_lines(reader, text) : -1;
}

int config_read(const char *const *files, const struct config_section *sections, size_t count,
                struct arena *arena, struct error *err)
{
    struct reader reader = {.sections = sections, .count = count, .arena = arena, .err = err};

    reader.states = arena_calloc(arena, count, sizeof(*reader.states));
    for (size_t i = 0; i < count; i++) {
        reader.complete = reader.complete || !sections[i].out;
        reader.states[i].origins =
            arena_calloc(arena, sections[i].count, sizeof(*reader.states[i].origins));
    }
    for (size_t i = 0; files[i]; i++)
        if (read_one(&reader, files[i]) < 0)
            return -1;
    return set_rows(&reader, files[0]);
}

int config_load(const char *path, const struct config_section *sections, size_t count,
                struct arena *arena, struct error *err)
{
    const char **files;

    return config_files_of(path, arena, &files, err) < 0
               ? -1
               : config_read(files, sections, count, arena, err);
}

/* ---- printing ---- */

static char *print_list(struct arena *arena, const char *const *items)
{
    char *text = arena_strdup(arena, "");

    for (size_t i = 0; items[i]; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", items[i]);
    return text;
}

const char *config_value(const struct config_row *row, const void *values, struct arena *arena)
{
    const void *member = (const char *)values + row->offset;

    switch (row->type) {
    case CONFIG_TYPE_TEXT:
    case CONFIG_TYPE_PATH:
        return *(const char *const *)member;
    case CONFIG_TYPE_BOOL:
        return *(const bool *)member ? "true" : "false";
    case CONFIG_TYPE_LIST:
        return print_list(arena, *(const char *const *const *)member);
    default:
        return print_number(arena, row->type, *(const int64_t *)member);
    }
}

static const char **copy_list(struct arena *arena, const char *const *items)
{
    size_t count = 0;
    const char **copy;

    while (items[count])
        count++;
    copy = arena_calloc(arena, count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = arena_strdup(arena, items[i]);
    return copy;
}

void config_copy_value(const struct config_row *row, const void *from, void *to,
                       struct arena *arena)
{
    const void *source = (const char *)from + row->offset;
    void *target = (char *)to + row->offset;
    const char *text;

    switch (row->type) {
    case CONFIG_TYPE_TEXT:
    case CONFIG_TYPE_PATH:
        text = *(const char *const *)source;
        *(const char **)target = text ? arena_strdup(arena, text) : NULL;
        break;
    case CONFIG_TYPE_BOOL:
        *(bool *)target = *(const bool *)source;
        break;
    case CONFIG_TYPE_LIST:
        *(const char ***)target = copy_list(arena, *(const char *const *const *)source);
        break;
    default:
        *(int64_t *)target = *(const int64_t *)source;
    }
}

char *config_print(const struct config_section *sections, size_t count, struct arena *arena)
{
    char *text = arena_strdup(arena, "");

    for (size_t s = 0; s < count; s++) {
        text = arena_printf(arena, "%s%s\n", text, sections[s].name);
        for (size_t i = 0; i < sections[s].count; i++) {
            const struct config_row *row = &sections[s].rows[i];
            const char *value = config_value(row, sections[s].out, arena);
            char quote = value && strchr(value, '"') ? '\'' : '"';

            text = arena_printf(arena, "%s    # %s%s\n", text, row->doc ? row->doc : row->key,
                                row->flags & CONFIG_RELOAD ? " [reload]" : "");
            if (value)
                text =
                    arena_printf(arena, "%s    %s = %c%s%c\n", text, row->key, quote, value, quote);
            else
                text = arena_printf(arena, "%s    # %s is not set\n", text, row->key);
        }
    }
    return text;
}
