/*
 * file_receiver.h - files that daemons on this host hand over open, to be sent from where they are.
 *
 * The gateway keeps a connection to the socket `files.<instance>` of each daemon that has one
 * (docd/store/file_sender.h), on which it says an id once; requests name it as `fileTo`. A daemon
 * that answers with a number has sent the file before. A file that no answer names within
 * UNCLAIMED_MS, because its answer was lost, is closed.
 *
 * How many there are is bounded: each request that asks for a file takes a place, from before it is
 * asked until its exchange ends, and without a place the bytes come over the bus.
 */
#ifndef ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H
#define ATRIUM_GATEWAY_TRANSFER_FILE_RECEIVER_H

#include "common/bus/bus.h"

struct file_receiver;

/* With so many places; 0: no file is ever asked for. */
struct file_receiver *file_receiver_new(struct loop *loop, struct bus *bus, size_t places);
void file_receiver_destroy(struct file_receiver **self_p);

/* Connects to the instances of a service that are not connected, and closes files that no answer
 * has named; every second. */
void file_receiver_sweep(struct file_receiver *self, const char *service);

/* Takes a place: the id for the request; NULL when there is none, or no daemon to get files
 * from. */
const char *file_receiver_ask(struct file_receiver *self);
void file_receiver_release(struct file_receiver *self);

/* The file of that number, the caller's to close; -1 when it did not come. */
int file_receiver_claim(struct file_receiver *self, int64_t number);

#endif
