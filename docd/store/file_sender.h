/*
 * file_sender.h - files of the local store, handed open to gateways on the same host.
 *
 * A gateway that sends an open file itself (sendfile(2)) spares the bytes two copies in docd, two
 * in the gateway and the way over the bus. docd decides about each request as ever; what changes is
 * how the bytes go.
 *
 * A gateway connects to the socket `files.<instance>` beside docd's sockets of the bus, which has
 * their access list (bus_listen_beside()), and says the random id that its requests name as
 * `fileTo`: so a file goes to the process that asked for it, and a request from another host finds
 * no receiver here. Each file is sent before the answer that names its number, so that the gateway,
 * when it has the answer, need not wait for the file. See gateway/transfer/file_receiver.h.
 */
#ifndef ATRIUM_DOCD_STORE_FILE_SENDER_H
#define ATRIUM_DOCD_STORE_FILE_SENDER_H

#include "common/bus/bus.h"

struct file_sender;

/* Listens. NULL, with err set, when it cannot. */
struct file_sender *file_sender_new(struct loop *loop, struct bus *bus, struct error *err);
void file_sender_destroy(struct file_sender **self_p);

/* Whether that gateway is connected; `receiver` and self may be NULL. */
bool file_sender_knows(const struct file_sender *self, const char *receiver);

/* Sends a file, which stays the caller's: its number, above 0; 0 when it cannot be sent now. */
int64_t file_sender_send(struct file_sender *self, const char *receiver, int file);

#endif
