/*
 * file_receiver.h - receives open files from daemons on this host.
 *
 * The gateway connects to a daemon's socket `files.<instance>` (docd/store/file_sender.h) and sends
 * its id, which requests name as `fileTo`. The daemon sends a file over the socket, then answers
 * with the file's number. A file unclaimed after UNCLAIMED_MS is closed. `places` limits how many
 * exchanges can have a file; the others get bytes over the bus.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H
#define ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H

#include "common/bus/bus.h"

struct file_receiver;

/* `places` 0: never used. */
struct file_receiver *file_receiver_new(struct loop *loop, struct bus *bus, size_t places);
void file_receiver_destroy(struct file_receiver **self_p);

/* Receives waiting files, closes unclaimed ones, and connects to new instances. Called every
 * second. */
void file_receiver_sweep(struct file_receiver *self, const char *service);

/* Takes one of the `places`. Returns `fileTo`, or NULL if there is no place or no daemon. */
const char *file_receiver_ask(struct file_receiver *self);
void file_receiver_release(struct file_receiver *self);

/* Returns the file, which the caller closes, or -1 if it hasn't arrived. */
int file_receiver_claim(struct file_receiver *self, int64_t number);

#endif
