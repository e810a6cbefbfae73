/*
 * mail_domain.c - see mail_domain.h.
 */
#include "authd/account/mail_domain.h"

#include <errno.h>
#include <libpsl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/wire/fields.h"

enum { LIST_SIZE_MAX = 16 << 20, DOMAIN_MAX = 253 };

struct mail_domains {
    const psl_ctx_t *suffixes;
    struct domain_list free_mail, throwaway;
    struct domain_list own_business, own_free_mail; /* configured */
};

/* ---- lists ---- */

struct line {
    const char *text;
    size_t length;
};

static struct line line_at(const char *text, size_t size, size_t at)
{
    const char *end = memchr(text + at, '\n', size - at);

    return (struct line){text + at, end ? (size_t)(end - text) - at : size - at};
}

static int line_compare(struct line a, struct line b)
{
    int order = memcmp(a.text, b.text, MIN(a.length, b.length));

    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static bool is_domain(struct line line)
{
    for (size_t i = 0; i < line.length; i++) {
        char c = line.text[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.')
            return false;
    }
    return line.length <= DOMAIN_MAX && memchr(line.text, '.', line.length);
}

static size_t skip_comments(const char *text, size_t size, size_t *ret_lines)
{
    size_t at = 0;

    for (*ret_lines = 0; at < size && text[at] == '#'; ++*ret_lines)
        at = MIN(at + line_at(text, size, at).length + 1, size);
    return at;
}

int domain_list_parse(const char *name, const char *text, size_t size, struct domain_list *ret,
                      struct error *err)
{
    struct line line, before = {"", 0};
    size_t number, start = skip_comments(text, size, &number);

    if (start == size)
        return error_set(err, ERR_BAD_REQUEST, "%s: names no domain", name);
    for (size_t at = start; at < size; at += line.length + 1) {
        line = line_at(text, size, at);
        number++;
        if (!is_domain(line))
            return error_set(err, ERR_BAD_REQUEST,
                             "%s:%zu: must be a domain in lower case and ASCII", name, number);
        if (line_compare(before, line) >= 0)
            return error_set(err, ERR_BAD_REQUEST,
                             "%s:%zu: not in order, or twice: LC_ALL=C sort -u", name, number);
        before = line;
    }
    *ret = (struct domain_list){text + start, size - start};
    return 0;
}

/* Returns a built-in list, which the build has checked. */
static struct domain_list built_in(const char *text, const char *end)
{
    size_t size = (size_t)(end - text), lines, start = skip_comments(text, size, &lines);

    return (struct domain_list){text + start, size - start};
}

static bool list_has(const struct domain_list *list, const char *domain)
{
    const struct line wanted = {domain, strlen(domain)};
    size_t low = 0, high = list->size; /* offsets of lines, or the end */

    while (low < high) {
        size_t at = low + (high - low) / 2;
        struct line line;
        int order;

        while (at > low && list->text[at - 1] != '\n')
            at--;
        line = line_at(list->text, list->size, at);
        order = line_compare(wanted, line);
        if (order == 0)
            return true;
        if (order < 0)
            high = at;
        else
            low = at + line.length + 1;
    }
    return false;
}

/* ---- opening ---- */

static int list_read(const char *path, struct arena *arena, struct domain_list *ret,
                     struct error *err)
{
    CLEANUP(file_close) FILE *file = fopen(path, "re");
    struct stat status;
    size_t size;
    char *text;

    if (!file || fstat(fileno(file), &status) < 0)
        return error_set(err, ERR_BAD_REQUEST, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size > LIST_SIZE_MAX)
        return error_set(err, ERR_BAD_REQUEST, "%s: must be a file of at most %d bytes", path,
                         LIST_SIZE_MAX);
    file_skip_mark(file);
    text = arena_alloc(arena, (size_t)status.st_size + 1);
    size = fread(text, 1, (size_t)status.st_size, file);
    if (ferror(file))
        return error_set(err, ERR_BAD_REQUEST, "%s: %s", path, strerror(errno));
    return domain_list_parse(path, text, size, ret, err);
}

static int open_lists(struct mail_domains *self, const struct mail_domains_options *options,
                      struct arena *arena, struct error *err)
{
    self->free_mail = built_in(domain_free_mail_text, domain_free_mail_end);
    self->throwaway = built_in(domain_throwaway_text, domain_throwaway_end);
    if (options->free_mail_file &&
        list_read(options->free_mail_file, arena, &self->free_mail, err) < 0)
        return -1;
    return !options->throwaway_file
               ? 0
               : list_read(options->throwaway_file, arena, &self->throwaway, err);
}

static bool is_suffix(const struct mail_domains *self, const char *domain)
{
    return !psl_registrable_domain(self->suffixes, domain);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Rejects public suffixes, which would match all domains below them. */
static int own_list(const struct mail_domains *self, const char *key, const char *const *domains,
                    struct arena *arena, struct domain_list *ret, struct error *err)
{
    const char *text = "", **own;
    size_t count = 0;

    while (domains[count])
        count++;
    own = arena_calloc(arena, count, sizeof(*own));
    for (size_t i = 0; i < count; i++) {
        own[i] = fields_domain(arena, domains[i]);
        if (!own[i] || is_suffix(self, own[i]))
            return error_set(err, ERR_BAD_REQUEST,
                             "%s: \"%s\" is not a domain that can be registered", key, domains[i]);
    }
    qsort(own, count, sizeof(*own), compare_texts);
    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s%s\n", text, own[i]);
    *ret = (struct domain_list){text, strlen(text)};
    return 0;
}

static void free_suffixes(void *suffixes)
{
    psl_free(suffixes);
}

struct mail_domains *mail_domains_new(const struct mail_domains_options *options,
                                      struct arena *arena, struct error *err)
{
    struct mail_domains *self = arena_calloc(arena, 1, sizeof(*self));
    psl_ctx_t *suffixes = psl_latest(NULL);

    if (!suffixes) {
        error_set(err, ERR_INTERNAL, "libpsl has no list of public suffixes");
        return NULL;
    }
    arena_on_destroy(arena, free_suffixes, suffixes);
    self->suffixes = suffixes;
    if (own_list(self, "business_domains", options->business, arena, &self->own_business, err) <
            0 ||
        own_list(self, "free_mail_domains", options->free_mail, arena, &self->own_free_mail, err) <
            0 ||
        open_lists(self, options, arena, err) < 0)
        return NULL;
    return self;
}

/* ---- queries ---- */

/* Searches a domain and its parents, up to a registry's suffix. Dynamic DNS and similar providers
 * are public suffixes too, but listed by name. */
static bool is_listed(const struct mail_domains *self, const char *domain,
                      const struct domain_list *list)
{
    while (!psl_is_public_suffix2(self->suffixes, domain, PSL_TYPE_ICANN)) {
        if (list_has(list, domain))
            return true;
        domain = strchr(domain, '.') + 1; /* a single label is a suffix */
    }
    return false;
}

bool mail_domains_business(const struct mail_domains *self, struct arena *arena, const char *domain)
{
    size_t length = strlen(domain);

    if (length > 0 && domain[length - 1] == '.') /* the root's dot, as in a zone file */
        domain = arena_strndup(arena, domain, length - 1);
    domain = fields_domain(arena, domain);
    if (!domain || is_suffix(self, domain) || is_listed(self, domain, &self->own_free_mail))
        return false;
    return is_listed(self, domain, &self->own_business) ||
           (!is_listed(self, domain, &self->free_mail) &&
            !is_listed(self, domain, &self->throwaway));
}
