/*
 * file_receiver.h - receives open files from daemons on this host.
 *
 * The gateway sends each daemon with a socket `files.<instance>` (docd/store/file_sender.h) an id,
 * which requests name as `fileTo`. A daemon sends a file first, then an answer with its number. A
 * file unclaimed after UNCLAIMED_MS is closed. Each request with `fileTo` takes one of `places`
 * until its exchange ends. Without a place, the bytes come over the bus.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H
#define ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H

#include "common/bus/bus.h"

struct file_receiver;

/* `places` 0: never asks for files. */
struct file_receiver *file_receiver_new(struct loop *loop, struct bus *bus, size_t places);
void file_receiver_destroy(struct file_receiver **self_p);

/* Connects to new instances of the service and closes unclaimed files. Called every second. */
void file_receiver_sweep(struct file_receiver *self, const char *service);

/* Takes a place and returns the id for `fileTo`. NULL: no place or no daemon. */
const char *file_receiver_ask(struct file_receiver *self);
void file_receiver_release(struct file_receiver *self);

/* Returns the file with this number, or -1 if it hasn't arrived. The caller closes it. */
int file_receiver_claim(struct file_receiver *self, int64_t number);

#endif
