/*
 * file_receiver.h - files that daemons on this host hand over open, sent from where they are.
 *
 * Each daemon with a socket `files.<instance>` (docd/store/file_sender.h) is told an id once, which
 * requests name as `fileTo`; it sends a file, then answers with its number. One not claimed within
 * UNCLAIMED_MS is closed. Each request that asks takes one of a bounded number of places until its
 * exchange ends; without one the bytes come over the bus.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H
#define ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H

#include "common/bus/bus.h"

struct file_receiver;

/* With so many places; 0: no file is ever asked for. */
struct file_receiver *file_receiver_new(struct loop *loop, struct bus *bus, size_t places);
void file_receiver_destroy(struct file_receiver **self_p);

/* Every second: connects to new instances of a service, closes files that no answer named. */
void file_receiver_sweep(struct file_receiver *self, const char *service);

/* Takes a place; the id for the request, or NULL: no place, or no such daemon. */
const char *file_receiver_ask(struct file_receiver *self);
void file_receiver_release(struct file_receiver *self);

/* The file of that number, the caller's to close; -1 when it did not come. */
int file_receiver_claim(struct file_receiver *self, int64_t number);

#endif
