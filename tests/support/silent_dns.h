/*
 * silent_dns.h - a name server that can fall silent: for tests of what waits for a name.
 *
 * It is the only name server of the calling program and of what the program starts from then on,
 * which get a network namespace and a mount namespace of their own with an /etc/resolv.conf that
 * names it.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SILENT_DNS_H
#define ATRIUM_TESTS_SUPPORT_SILENT_DNS_H

#include "common/base/base.h"

struct silent_dns;

/* Moves the program, which must not have threads yet, and starts the server on a thread. Every name
 * has the one IPv4 address 127.0.0.1 while the server answers, except names below "absent.example",
 * which do not exist. NULL with the reason where the machine permits no namespaces: the test is
 * left out. */
struct silent_dns *silent_dns_start(const char **ret_reason);
void silent_dns_stop(struct silent_dns **self_p);

/* From now on questions are counted and not answered; or answered again. */
void silent_dns_set(struct silent_dns *self, bool silent);

/* Questions for IPv4 addresses since the start. */
size_t silent_dns_asked(const struct silent_dns *self);

#endif
