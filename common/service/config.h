/*
 * config.h - typed settings from ZPL files (sections, then name = "value").
 *
 * Each program reads `common` and its own section through a table; an unknown or duplicate key or
 * an invalid value fails the start with file and line. Other sections' keys are known too
 * (config_known), so that a key in the wrong section fails immediately. Secrets are in files that
 * values name.
 *
 * Later files override: the package's defaults (PREFIX/share/atrium/atrium.conf of programs in
 * PREFIX/bin), the operator's atrium.conf, conf.d/NAME.conf by name.
 */
#ifndef ATRIUM_COMMON_SERVICE_CONFIG_H
#define ATRIUM_COMMON_SERVICE_CONFIG_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum config_type {
    CONFIG_TYPE_TEXT,     /* const char * */
    CONFIG_TYPE_PATH,     /* const char *, absolute; expands $CREDENTIALS_DIRECTORY/ */
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
    CONFIG_SECRET = 1 << 1, /* PATH of a secret's file, see secret_check_file() */
    CONFIG_RELOAD = 1 << 2, /* SIGHUP applies changes; otherwise they need a restart */
};

#define CONFIG_FILE "/etc/atrium/atrium.conf" /* configuration of the installed suite */
enum { CONFIG_FILES_MAX = 64 };               /* in conf.d */

struct config_row {
    const char *key;
    enum config_type type;
    size_t offset;
    const char *fallback; /* file notation, or NULL */
    int64_t min, max; /* INT; DURATION in ms; SIZE in bytes; TEXT, PATH: length. max 0: no limit */
    unsigned flags;
    const char *choices; /* TEXT: allowed words, separated by blanks, or NULL */
    const char *doc;     /* a sentence for the man page */
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

struct config_origin {
    const char *file; /* NULL: no file has the key */
    int line;
    const char *text; /* file notation */
};

struct config_section {
    const char *name; /* "common", "authd" */
    const struct config_row *rows;
    size_t count;
    void *out; /* struct to fill; NULL: another program's section, only its keys */
    struct config_origin *origins; /* filled, one per row, or NULL */
};

/* The daemons' sections, ended by one without a name; from config_known.pl. */
extern const struct config_section config_known[];

/* Lists the configuration files, NULL-ended: `defaults` (can be NULL) if it exists, `path`, which
 * can then be missing, and the *.conf of conf.d. Returns -1 if conf.d is unreadable. */
int config_files(const char *defaults, const char *path, struct arena *arena, const char ***ret,
                 struct error *err) MUST_USE;

/* Lists the files of --config's path; CONFIG_FILE comes after the package's defaults. */
int config_files_of(const char *path, struct arena *arena, const char ***ret,
                    struct error *err) MUST_USE;

/* Fills the sections' structs. Returns -1 with "FILE:LINE: ...". Rejects unknown sections, if
 * `sections` contains those of other programs. */
int config_read(const char *const *files, const struct config_section *sections, size_t count,
                struct arena *arena, struct error *err) MUST_USE;

int config_load(const char *path, const struct config_section *sections, size_t count,
                struct arena *arena, struct error *err) MUST_USE;

/* Returns the value in file notation, or NULL. `values` is the section's struct. */
const char *config_value(const struct config_row *row, const void *values, struct arena *arena);

void config_copy_value(const struct config_row *row, const void *from, void *to,
                       struct arena *arena);

/* Prints file notation with descriptions as comments; "[reload]" marks what SIGHUP applies. */
char *config_print(const struct config_section *sections, size_t count, struct arena *arena);

#endif
