/*
 * config.h - typed settings from files in ZPL notation (sections, then name = "value").
 *
 * Each program reads `common` and its own section through a table: an unknown key, a duplicate or a
 * bad value refuses the start with file and line. The keys of other sections are known too
 * (config_known), so that a key in the wrong section is refused at once, not at that program's next
 * start. Secrets are never values but names of files.
 *
 * Later files override: the package's defaults (PREFIX/share/atrium/atrium.conf of programs in
 * PREFIX/bin, for the installed configuration), the operator's atrium.conf, conf.d/NAME.conf by
 * name.
 */
#ifndef ATRIUM_COMMON_SERVICE_CONFIG_H
#define ATRIUM_COMMON_SERVICE_CONFIG_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum config_type {
    CONFIG_TYPE_TEXT,     /* const char * */
    CONFIG_TYPE_PATH,     /* const char *, absolute; $CREDENTIALS_DIRECTORY/ is expanded */
    CONFIG_TYPE_INT,      /* int64_t */
    CONFIG_TYPE_BOOL,     /* bool: true false */
    CONFIG_TYPE_RATIO,    /* int64_t millionths: 0 0.25 1 */
    CONFIG_TYPE_DURATION, /* int64_t ms: 500ms 10s 5m 2h 30d */
    CONFIG_TYPE_SIZE,     /* int64_t bytes: 512 64k 100M 1G (powers of 1024) */
    CONFIG_TYPE_LIST,     /* const char **, NULL-ended: comma-separated words */
};

enum { CONFIG_RATIO_ONE = 1000000 };

enum config_flags {
    CONFIG_REQUIRED = 1 << 0,
    CONFIG_SECRET = 1 << 1, /* PATH: of a file that holds one, see secret_check_file() */
    CONFIG_RELOAD = 1 << 2, /* SIGHUP applies a change; without it a change needs a restart */
};

#define CONFIG_FILE "/etc/atrium/atrium.conf" /* of an installed suite */
enum { CONFIG_FILES_MAX = 64 };               /* in conf.d */

struct config_row {
    const char *key;
    enum config_type type;
    size_t offset;
    const char *fallback; /* as it would stand in the file; NULL: none */
    int64_t min, max; /* INT; DURATION in ms; SIZE in bytes; TEXT, PATH: length. max 0: no bound */
    unsigned flags;
    const char *choices; /* TEXT: the only words that it may be, blanks between them; NULL: any */
    const char *doc;     /* one sentence for the man page */
};

#define CONFIG_IS(s, member, type) \
    (0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((s *)0)->member), type) ? 1 : -1]))
#define CONFIG_ROW(s, member, kind, ctype, fallback_, min_, max_, flags_, choices_, doc_)        \
    {                                                                                            \
#member, (kind), offsetof(s, member) + CONFIG_IS(s, member, ctype), (fallback_), (min_), \
            (max_), (flags_), (choices_), (doc_)                                                 \
    }
#define CONFIG_TEXT(s, m, fallback, flags, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_TEXT, const char *, fallback, 0, 4096, flags, NULL, doc)
#define CONFIG_CHOICE(s, m, fallback, choices, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_TEXT, const char *, fallback, 0, 0, 0, choices, doc)
#define CONFIG_CHOICE_RELOAD(s, m, fallback, choices, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_TEXT, const char *, fallback, 0, 0, CONFIG_RELOAD, choices, doc)
#define CONFIG_PATH(s, m, fallback, flags, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_PATH, const char *, fallback, 1, 4096, flags, NULL, doc)
#define CONFIG_INT(s, m, fallback, min, max, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_INT, int64_t, fallback, min, max, 0, NULL, doc)
#define CONFIG_INT_RELOAD(s, m, fallback, min, max, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_INT, int64_t, fallback, min, max, CONFIG_RELOAD, NULL, doc)
#define CONFIG_BOOL(s, m, fallback, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_BOOL, bool, fallback, 0, 0, 0, NULL, doc)
#define CONFIG_BOOL_RELOAD(s, m, fallback, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_BOOL, bool, fallback, 0, 0, CONFIG_RELOAD, NULL, doc)
#define CONFIG_DURATION(s, m, fallback, min, max, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_DURATION, int64_t, fallback, min, max, 0, NULL, doc)
#define CONFIG_DURATION_RELOAD(s, m, fallback, min, max, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_DURATION, int64_t, fallback, min, max, CONFIG_RELOAD, NULL, doc)
#define CONFIG_RATIO(s, m, fallback, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_RATIO, int64_t, fallback, 0, CONFIG_RATIO_ONE, 0, NULL, doc)
#define CONFIG_RATIO_RELOAD(s, m, fallback, doc)                                               \
    CONFIG_ROW(s, m, CONFIG_TYPE_RATIO, int64_t, fallback, 0, CONFIG_RATIO_ONE, CONFIG_RELOAD, \
               NULL, doc)
#define CONFIG_SIZE(s, m, fallback, min, max, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_SIZE, int64_t, fallback, min, max, 0, NULL, doc)
#define CONFIG_SIZE_RELOAD(s, m, fallback, min, max, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_SIZE, int64_t, fallback, min, max, CONFIG_RELOAD, NULL, doc)
#define CONFIG_LIST(s, m, fallback, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_LIST, const char **, fallback, 0, 0, 0, NULL, doc)
#define CONFIG_LIST_RELOAD(s, m, fallback, doc) \
    CONFIG_ROW(s, m, CONFIG_TYPE_LIST, const char **, fallback, 0, 0, CONFIG_RELOAD, NULL, doc)

/* Where the value of a key was read. */
struct config_origin {
    const char *file; /* NULL: no file has the key */
    int line;
    const char *text; /* the value as it stands there */
};

struct config_section {
    const char *name; /* "common", "authd" */
    const struct config_row *rows;
    size_t count;
    void *out;                     /* the struct to fill; NULL: another program's, keys alone */
    struct config_origin *origins; /* one for each row, filled; NULL: not wanted */
};

/* The keys of the section of each daemon, up to a section without a name (config_known.pl). */
extern const struct config_section config_known[];

/* The files of a configuration in the arena, NULL-ended: `defaults` (may be NULL) if it exists;
 * `path`, optional then; *.conf of conf.d. -1: conf.d cannot be read. */
int config_files(const char *defaults, const char *path, struct arena *arena, const char ***ret,
                 struct error *err) MUST_USE;

/* The same for a path as --config has it: CONFIG_FILE has the defaults of the package before it. */
int config_files_of(const char *path, struct arena *arena, const char ***ret,
                    struct error *err) MUST_USE;

/* Fills every section's struct; texts live in the arena. -1 with "FILE:LINE: ...". Unless other
 * programs' sections are given, no further section is allowed. */
int config_read(const char *const *files, const struct config_section *sections, size_t count,
                struct arena *arena, struct error *err) MUST_USE;

/* config_files_of() and config_read(). */
int config_load(const char *path, const struct config_section *sections, size_t count,
                struct arena *arena, struct error *err) MUST_USE;

/* The value as a file would have it; NULL: none. `values` is the section's struct. */
const char *config_value(const struct config_row *row, const void *values, struct arena *arena);

/* Texts and lists go into the arena. */
void config_copy_value(const struct config_row *row, const void *from, void *to,
                       struct arena *arena);

/* In the file's own format with descriptions as comments; "[reload]" marks what SIGHUP applies. */
char *config_print(const struct config_section *sections, size_t count, struct arena *arena);

#endif
