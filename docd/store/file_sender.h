/*
 * file_sender.h - passes open files of the local store to gateways on the same host. A gateway then
 * sends the file with sendfile(2), which saves four copies and the way over the bus.
 *
 * A gateway connects to `files.<instance>` beside docd's bus sockets, with their access list
 * (bus_listen_beside()), and sends the random id that its requests name as `fileTo`. So a file
 * reaches the process that asked, and a request from another host finds no receiver. A file is sent
 * before the response with its number. See gateway/transfer/file_receiver.h.
 */
#ifndef ATRIUM_DOCD_STORE_FILE_SENDER_H
#define ATRIUM_DOCD_STORE_FILE_SENDER_H

#include "common/bus/bus.h"

struct file_sender;

/* Listens. NULL with err set when it cannot. */
struct file_sender *file_sender_new(struct loop *loop, struct bus *bus, struct error *err);
void file_sender_destroy(struct file_sender **self_p);

/* True when that gateway is connected. Both arguments can be NULL. */
bool file_sender_knows(const struct file_sender *self, const char *receiver);

/* Sends a borrowed file. Returns its number, above 0; 0 if it cannot be sent now. */
int64_t file_sender_send(struct file_sender *self, const char *receiver, int file);

#endif
