/*
 * bus_hosts.h - a suite on several hosts: which instance listens where, and by which key it is
 * known.
 *
 *     # instance    where                  public key
 *     gateway.a1    -                      rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7
 *     authd.b1      tcp://10.0.0.2:7101    Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID
 *
 * One file, the same on all hosts: an instance finds in it where to listen, a caller whom to
 * connect to and which key it must find there, and an instance that is called which service its
 * caller is. There is no way to write down a connection without keys.  An instance may have two
 * lines that differ in the key, while its key is being changed.
 */
#ifndef ATRIUM_COMMON_BUS_BUS_HOSTS_H
#define ATRIUM_COMMON_BUS_BUS_HOSTS_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"

enum {
    BUS_NAME_MAX = 32,      /* service, instance */
    BUS_KEY_SIZE = 32,      /* of CurveZMQ: X25519 */
    BUS_KEY_TEXT_SIZE = 41, /* in Z85, with NUL */
    BUS_HOST_KEYS_MAX = 2,  /* lines of one instance */
};

struct bus_host {
    const char *name;               /* "authd.b1" */
    const char *service, *instance; /* "authd", "b1" */
    const char *endpoint;           /* NULL: it calls and cannot be called */
    uint8_t key[BUS_KEY_SIZE];      /* public */
};

struct bus_hosts {
    struct bus_host *rows;
    size_t count;
    const struct bus_host *own; /* the line of the key taken; NULL until then */
    const char *listen;         /* endpoint to listen at instead of own->endpoint; NULL: that one */
    uint8_t secret_key[BUS_KEY_SIZE];
};

/* -1 with "FILE:LINE: ..." in err. Texts live in the arena; the secret key is wiped with it. */
int bus_hosts_read(const char *path, struct arena *arena, struct bus_hosts **ret,
                   struct error *err) MUST_USE;

/* Takes <directory>/<name>.key (secret_load_key()). -1: no key, or no line of that name matches. */
int bus_hosts_take_key(struct bus_hosts *self, const char *directory, const char *name,
                       struct error *err) MUST_USE;

/* Listens at this numeric address and the own line's port, where addresses are translated. After
 * bus_hosts_take_key(). */
int bus_hosts_listen(struct bus_hosts *self, const char *address, struct arena *arena,
                     struct error *err) MUST_USE;

/* The public half of a secret key; and as it stands in the file. */
void bus_hosts_public_key(const uint8_t secret[static BUS_KEY_SIZE],
                          uint8_t ret[static BUS_KEY_SIZE]);
void bus_hosts_key_text(const uint8_t key[static BUS_KEY_SIZE], char ret[static BUS_KEY_TEXT_SIZE]);

/* The host that has the key; NULL: none. */
const struct bus_host *bus_hosts_by_key(const struct bus_hosts *self,
                                        const uint8_t key[static BUS_KEY_SIZE]);

/* The lines of an instance that can be connected to; how many there are. `self` may be NULL. */
size_t bus_hosts_by_name(const struct bus_hosts *self, const char *name,
                         const struct bus_host *ret[static BUS_HOST_KEYS_MAX]);
bool bus_hosts_has_name(const struct bus_hosts *self, const char *name);

/* How many lines of `self` have no equal in `other`: name, address and key. */
size_t bus_hosts_count_missing(const struct bus_hosts *self, const struct bus_hosts *other);

/* "-", or "tcp://10.0.0.2:7101" with a numeric address. */
bool bus_endpoint_ok(const char *text);

/* [a-z0-9-], 1 to 32: a service, an instance. */
bool bus_name_ok(const char *text, size_t size);

#endif
