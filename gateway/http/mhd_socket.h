/*
 * mhd_socket.h - what libmicrohttpd reads and writes, seen on its way.
 *
 * libmicrohttpd 0.9.75 answers unreadable requests itself: in HTML, without an id, or just closes;
 * it has no hook. So mhd_socket.c defines recv(), send(), sendmsg(), sendfile64() and shutdown()
 * over the C library's: plain system calls except for watched sockets of the loop's thread, where
 * an answer the gateway did not make (`answering`) goes to connections.refused(). Input passes
 * framing.h first.
 */
#ifndef ATRIUM_GATEWAY_HTTP_MHD_SOCKET_H
#define ATRIUM_GATEWAY_HTTP_MHD_SOCKET_H

#include <sys/types.h>

#include "common/base/base.h"

struct connection;

/* From now on what goes over the socket belongs to that connection; on the loop's thread. */
void mhd_socket_watch(int fd, struct connection *connection);
void mhd_socket_unwatch(int fd);

/* That of a watched socket, or NULL. */
struct connection *mhd_socket_connection(int fd);

/* Answers and closes if malformed bytes followed the last ended request. */
void mhd_socket_check(struct connection *connection);

/* Past all that. Best effort: what does not fit into the socket's buffer is lost. */
void mhd_socket_send(int fd, const char *bytes, size_t size);

/* Reads and drops what has come, up to so many bytes. */
void mhd_socket_drain(int fd, size_t max);

/* Whether the client has closed its direction. */
bool mhd_socket_is_over(int fd);
void mhd_socket_shutdown(int fd);

#endif
