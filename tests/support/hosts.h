/*
 * hosts.h - several hosts on one machine: network namespaces, each with a line to a switch that can
 * be pulled.
 *
 * Host i has the address 10.77.0.<i+1>.  The namespaces belong to processes of the test and are
 * gone with it.  A thread is on one host at a time, and what it starts or connects is there too.
 */
#ifndef ATRIUM_TESTS_SUPPORT_HOSTS_H
#define ATRIUM_TESTS_SUPPORT_HOSTS_H

#include "common/base/base.h"

enum { HOSTS_MAX = 8 };

struct hosts;

/* So many hosts with their lines plugged in. NULL where this is not possible, with the reason on
 * stderr: it needs root and a kernel with bridges. */
struct hosts *hosts_new(size_t count);
void hosts_destroy(struct hosts **self_p);

/* Puts the calling thread on a host; HOSTS_SWITCH: on the switch, which sees all that goes from
 * host to host. */
enum { HOSTS_SWITCH = -1 };
void hosts_enter(const struct hosts *self, int host);

/* Cuts a host off the network, or connects it again. No process gets an error for it: packets
 * are lost. Back on the calling thread's host when it returns. */
void hosts_cut(const struct hosts *self, int host, bool cut);

/* The same between two hosts only: each of them still reaches all others. */
void hosts_part(const struct hosts *self, int one, int other, bool part);

/* ---- the switch listens ---- */

/* Keeps an eye on all that passes the switch, from a thread of its own. */
struct hosts_tap;
struct hosts_tap *hosts_tap_start(const struct hosts *self, const char *const *words);

/* Ends it; how often each of the words passed in clear goes to `ret`, the bytes that passed are
 * returned. */
uint64_t hosts_tap_stop(struct hosts_tap **self_p, size_t *ret);

#endif
