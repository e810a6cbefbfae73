/*
 * silent_dns.h - a name server that can stop responding. The calling program and its children use
 * only this server: they get network and mount namespaces with their own /etc/resolv.conf.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SILENT_DNS_H
#define ATRIUM_TESTS_SUPPORT_SILENT_DNS_H

#include "common/base/base.h"

struct silent_dns;

/* silent_dns_start() moves the program, which must have no threads yet, and starts the server on a
 * thread. Every name is 127.0.0.1, except names below "absent.example", which do not exist. If
 * namespaces are not available, it returns NULL and the reason. */
struct silent_dns *silent_dns_start(const char **ret_reason);
void silent_dns_stop(struct silent_dns **self_p);

/* Stops or resumes responses. Questions are counted either way. */
void silent_dns_set(struct silent_dns *self, bool silent);

size_t silent_dns_asked(const struct silent_dns *self);

#endif
