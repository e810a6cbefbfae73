/*
 * mail_domain.h - whether an e-mail address is a business one: of a domain that is
 * registered, and neither of a free mail provider nor of one of throwaway mailboxes. Pure but for
 * the files that it reads once, at start.
 *
 * What can be registered is decided by the Public Suffix List (publicsuffix.org) as libpsl has it.
 * A list names a provider by a domain; what lies below it, however deep, is the provider's too.
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_MAIL_DOMAIN_H
#define ATRIUM_AUTHD_ACCOUNT_MAIL_DOMAIN_H

#include "common/base/arena.h"
#include "common/base/error.h"

/* Domains in lower case and ASCII, one a line, in the order of bytes. */
struct domain_list {
    const char *text; /* not NUL-terminated */
    size_t size;
};

/* The lists that the program was built with, see authd/data. */
extern const char domain_free_mail_text[], domain_free_mail_end[];
extern const char domain_throwaway_text[], domain_throwaway_end[];

/* A list from text, which it borrows; lines that begin with # may stand before the first domain.
 * Fails with `name` and the line when it names no domain, or is not a list as above. */
int domain_list_parse(const char *name, const char *text, size_t size, struct domain_list *ret,
                      struct error *err) MUST_USE;

struct mail_domains_options {
    const char *free_mail_file, *throwaway_file; /* at most 16 MiB; NULL: as built in */
    /* What the operator knows better, NULL-ended, in any spelling: free mail before business, and
     * both before the lists. */
    const char *const *business, *const *free_mail;
};

/* Both lists, the operator's word and the suffixes, as long as the arena. NULL with the name of the
 * file or of the domain that is wrong. Reads files: not for a fiber. */
struct mail_domains *mail_domains_new(const struct mail_domains_options *options,
                                      struct arena *arena, struct error *err);

/* Whether this domain, in any spelling, is a business one. A public suffix, a single label and an
 * IP address never are. Scratch memory is from the arena. */
bool mail_domains_business(const struct mail_domains *self, struct arena *arena,
                           const char *domain);

#endif
