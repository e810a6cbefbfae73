/*
 * mail_domain.h - recognizes business email addresses, which are addresses of a registered domain
 * that belongs to no free mail provider and no throwaway mailbox. Pure, except that it reads files
 * at start.
 *
 * libpsl's Public Suffix List decides which domains can be registered. A listed domain includes its
 * subdomains.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MAIL_DOMAIN_H
#define ATRIUM_AUTHD_ACCOUNT_MAIL_DOMAIN_H

#include "common/base/arena.h"
#include "common/base/error.h"

/* Lowercase ASCII domains, one per line, in byte order. */
struct domain_list {
    const char *text; /* not NUL-terminated */
    size_t size;
};

/* The built-in lists, see authd/data. */
extern const char domain_free_mail_text[], domain_free_mail_end[];
extern const char domain_throwaway_text[], domain_throwaway_end[];

/* Makes a list of a text, which it borrows. Lines that begin with # can precede the first domain.
 * Fails with `name` and the line number for an empty or invalid list. */
int domain_list_parse(const char *name, const char *text, size_t size, struct domain_list *ret,
                      struct error *err) MUST_USE;

struct mail_domains_options {
    const char *free_mail_file, *throwaway_file; /* at most 16 MiB; NULL: built in */
    /* The operator's exceptions, NULL-terminated, in any spelling. They precede the lists, and
     * free_mail precedes business. */
    const char *const *business, *const *free_mail;
};

/* Loads everything into the arena. NULL: the error names the wrong file or domain. Reads files, so
 * do not call it in a fiber. */
struct mail_domains *mail_domains_new(const struct mail_domains_options *options,
                                      struct arena *arena, struct error *err);

/* Reports if the domain, in any spelling, belongs to a business. False for public suffixes, single
 * labels and IP addresses. Scratch memory is from the arena. */
bool mail_domains_business(const struct mail_domains *self, struct arena *arena,
                           const char *domain);

#endif
