/*
 * mhd_socket.h - intercepts libmicrohttpd's reads and writes.
 *
 * libmicrohttpd 0.9.75 answers unreadable requests in HTML without an id, or just closes, and has
 * no hook. So mhd_socket.c replaces recv(), send(), sendmsg(), sendfile64() and shutdown() for
 * watched sockets of the loop's thread. connections.refused() gets the answers that the gateway
 * didn't make (`answering`). framing.h checks the input first.
 */
#ifndef ATRIUM_GATEWAY_HTTP_MHD_SOCKET_H
#define ATRIUM_GATEWAY_HTTP_MHD_SOCKET_H

#include <sys/types.h>

#include "common/base/base.h"

struct connection;

/* Call on the loop's thread. */
void mhd_socket_watch(int fd, struct connection *connection);
void mhd_socket_unwatch(int fd);

struct connection *mhd_socket_connection(int fd);

/* Answers and closes if malformed bytes follow the last finished request. */
void mhd_socket_check(struct connection *connection);

/* Sends directly. Bytes that don't fit into the socket's buffer are lost. */
void mhd_socket_send(int fd, const char *bytes, size_t size);

void mhd_socket_drain(int fd, size_t max);
bool mhd_socket_is_over(int fd);
void mhd_socket_shutdown(int fd);

#endif
