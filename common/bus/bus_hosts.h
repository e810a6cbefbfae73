/*
 * bus_hosts.h - a suite on several hosts: each instance's endpoint and key.
 *
 *     # instance    where                  public key
 *     gateway.a1    -                      rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7
 *     authd.b1      tcp://10.0.0.2:7101    Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID
 *
 * All hosts have the same file. Connections need keys. During a key rotation an instance has two
 * lines.
 */
#ifndef ATRIUM_COMMON_BUS_BUS_HOSTS_H
#define ATRIUM_COMMON_BUS_BUS_HOSTS_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum {
    BUS_NAME_MAX = 32,
    BUS_KEY_SIZE = 32,      /* CurveZMQ: X25519 */
    BUS_KEY_TEXT_SIZE = 41, /* Z85 and NUL */
    BUS_HOST_KEYS_MAX = 2,  /* lines per instance */
};

struct bus_host {
    const char *name;               /* "authd.b1" */
    const char *service, *instance; /* "authd", "b1" */
    const char *endpoint;           /* NULL: it calls others, but accepts no calls */
    uint8_t key[BUS_KEY_SIZE];      /* public */
};

struct bus_hosts {
    struct bus_host *rows;
    size_t count;
    const struct bus_host *own; /* this instance's line; NULL before bus_hosts_take_key() */
    const char *listen;         /* replaces own->endpoint unless NULL */
    uint8_t secret_key[BUS_KEY_SIZE];
};

/* Reads the hosts file. Returns -1 with "FILE:LINE: ..." in err. The arena holds texts, and wipes
 * the secret key. */
int bus_hosts_read(const char *path, struct arena *arena, struct bus_hosts **ret,
                   struct error *err) MUST_USE;

/* Loads <directory>/<name>.key (secret_load_key()). -1: no key, or no line of that name has it. */
int bus_hosts_take_key(struct bus_hosts *self, const char *directory, const char *name,
                       struct error *err) MUST_USE;

/* Listens at this numeric address with the own line's port, for address translation. Requires
 * bus_hosts_take_key(). */
int bus_hosts_listen(struct bus_hosts *self, const char *address, struct arena *arena,
                     struct error *err) MUST_USE;

/* Computes the public key, binary or as in the file. */
void bus_hosts_public_key(const uint8_t secret[static BUS_KEY_SIZE],
                          uint8_t ret[static BUS_KEY_SIZE]);
void bus_hosts_key_text(const uint8_t key[static BUS_KEY_SIZE], char ret[static BUS_KEY_TEXT_SIZE]);

const struct bus_host *bus_hosts_by_key(const struct bus_hosts *self,
                                        const uint8_t key[static BUS_KEY_SIZE]);

/* Finds the lines of an instance that accepts calls. `self` can be NULL. */
size_t bus_hosts_by_name(const struct bus_hosts *self, const char *name,
                         const struct bus_host *ret[static BUS_HOST_KEYS_MAX]);
bool bus_hosts_has_name(const struct bus_hosts *self, const char *name);

/* Counts lines of `self` that `other` lacks (name, address and key). */
size_t bus_hosts_count_missing(const struct bus_hosts *self, const struct bus_hosts *other);

/* True for "-", or "tcp://10.0.0.2:7101" with a numeric address. */
bool bus_endpoint_ok(const char *text);

/* True for a service or instance name: [a-z0-9-]{1,32}. */
bool bus_name_ok(const char *text, size_t size);

#endif
