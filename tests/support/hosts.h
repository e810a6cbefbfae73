/*
 * hosts.h - hosts on one machine: network namespaces, each connected to a switch by a line that can
 * be cut.
 *
 * Host i has the address 10.77.0.<i+1>. The namespaces end with their test processes. A thread is
 * on one host at a time; processes it starts and connections it makes are on that host too.
 */
#ifndef ATRIUM_TESTS_SUPPORT_HOSTS_H
#define ATRIUM_TESTS_SUPPORT_HOSTS_H

#include "common/base/base.h"

enum { HOSTS_MAX = 8 };

struct hosts;

/* hosts_new() makes connected hosts, or returns NULL with the reason on stderr: it needs root and
 * bridges. */
struct hosts *hosts_new(size_t count);
void hosts_destroy(struct hosts **self_p);

/* Moves the calling thread to a host, or with HOSTS_SWITCH to the switch, which sees all traffic
 * between hosts. */
enum { HOSTS_SWITCH = -1 };
void hosts_enter(const struct hosts *self, int host);

/* Cuts a host off, or reconnects it. Packets are lost without errors. The calling thread stays on
 * its host. */
void hosts_cut(const struct hosts *self, int host, bool cut);

/* Like hosts_cut(), but only between two hosts. */
void hosts_part(const struct hosts *self, int one, int other, bool part);

/* Watches all traffic of the switch from its own thread. */
struct hosts_tap;
struct hosts_tap *hosts_tap_start(const struct hosts *self, const char *const *words);

/* Ends it. Stores in `ret` how often each word passed in clear text, and returns the number of
 * bytes. */
uint64_t hosts_tap_stop(struct hosts_tap **self_p, size_t *ret);

#endif
