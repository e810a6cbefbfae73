/*
 * dns_text.h - asks a name server for TXT records (RFC 1035, section 3.3.14), with c-ares.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_DNS_TEXT_H
#define ATRIUM_AUTHD_FEDERATION_DNS_TEXT_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/runtime/offload.h"

enum {
    DNS_TEXT_MS = 5000,     /* maximum time of a question, with all its retries */
    DNS_TEXTS_MAX = 64,     /* further records of a name are counted, not returned */
    DNS_TEXT_SIZE_MAX = 512 /* bytes; longer records are cut off */
};

enum dns_text_state {
    DNS_TEXT_FOUND,
    DNS_TEXT_NONE,  /* no such name, or a name without TXT records */
    DNS_TEXT_ALIAS, /* the name is a CNAME, which is not followed */
};

struct dns_text {
    enum dns_text_state state;
    size_t count; /* records of the name; at most DNS_TEXTS_MAX are in `items` */
    const char *items[DNS_TEXTS_MAX];
};

/* Reports if the value is a list of name servers: "192.0.2.1", "[2001:db8::1]:5353". */
bool dns_text_servers_valid(const char *servers);

/* Asks for the TXT records of a name in ASCII. servers: as above, separated by commas; NULL: the
 * system's resolvers. Parks; a thread of the pool waits for the answer. Fails: UNAVAILABLE (no
 * name server answers, or they fail), DEADLINE, OVERLOADED. */
int dns_text_ask(struct offload *pool, struct arena *arena, const char *servers, const char *name,
                 int64_t deadline_mono_ms, struct dns_text *ret, struct error *err) MUST_USE;

#endif
