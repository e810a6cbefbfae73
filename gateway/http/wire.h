/*
 * wire.h - what libmicrohttpd reads and writes, seen on its way.
 *
 * libmicrohttpd 0.9.75 answers requests that it cannot read by itself: in HTML, without an id, some
 * of them with their header twice, some with a closed connection only; its interface has no hook
 * for that. So wire.c defines recv(), send(), sendmsg(), sendfile64() and shutdown(), which the
 * dynamic linker prefers to the C library's. They are system calls and nothing else, but for
 * sockets of the loop's thread that are watched: there an answer that the gateway did not make
 * (struct connection's `answering`) is handed to connections.refused() and dropped. What is
 * received passes framing.h first.
 */
#ifndef ATRIUM_GATEWAY_HTTP_WIRE_H
#define ATRIUM_GATEWAY_HTTP_WIRE_H

#include <sys/types.h>

#include "common/base/base.h"

struct connection;

/* From now on what goes over the socket belongs to that connection; on the loop's thread. */
void wire_watch(int fd, struct connection *connection);
void wire_unwatch(int fd);

/* That of a watched socket, or NULL. */
struct connection *wire_connection(int fd);

/* Has the connection answered and closed when malformed bytes came behind the last request that
 * ended: those before them are answered first. */
void wire_check(struct connection *connection);

/* Past all that. Best effort: what does not fit into the socket's buffer is lost. */
void wire_send(int fd, const char *bytes, size_t size);

/* Reads and drops what has come, up to so many bytes. */
void wire_drain(int fd, size_t max);

/* Whether the client has closed its direction. */
bool wire_is_over(int fd);
void wire_shutdown(int fd);

#endif
