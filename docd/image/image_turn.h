/*
 * image_turn.h - schedules image decoding.
 *
 * The fast lane takes images of few pixels; the slow lane uses idle CPU time. The client with the
 * fewest decodes goes first. A client without an account (public link) is identified by its address
 * and limited to four decodes at a time and 200 megapixels a minute. Over the limit its images go
 * last in the slow lane, and fail with ERR_THROTTLED at the deadline.
 */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_TURN_H
#define ATRIUM_DOCD_IMAGE_IMAGE_TURN_H

#include "common/base/address.h"
#include "common/domain/request.h"
#include "common/runtime/loop.h"

enum {
    IMAGE_CLIENT_DECODES = 4,
    IMAGE_CLIENT_PIXELS = 200 * 1000 * 1000, /* a minute, per address */
    IMAGE_FAST_PIXELS = 25 * 1000 * 1000,    /* largest image of the fast lane */
    IMAGE_FAST_PIXELS_PUBLIC = 4 * 1000 * 1000,
    IMAGE_RESERVE_MS = 300, /* part of the deadline that is kept for the response */
};

struct image_scheduler;
struct image_client;

/* Makes a scheduler for `fast` and `slow` decoders in the two lanes. A limited client has at most
 * `share` images in progress or waiting. */
struct image_scheduler *image_scheduler_new(struct loop *loop, size_t fast, size_t slow,
                                            size_t queue_max, size_t share);
void image_scheduler_destroy(struct image_scheduler **self_p);

size_t image_scheduler_waiting(const struct image_scheduler *self);

/* Zero-initialized: none. */
struct image_turn {
    struct image_scheduler *scheduler;
    struct image_client *clients[ADDRESS_SUBJECTS_MAX]; /* account, or address and network */
    size_t client_count;
    int lane;   /* lane of its decoder; -1: none */
    bool large; /* belongs to the slow lane */
};

/* Admits an image; `req` NULL: no limits apply. Parks while the client has used its share:
 * *ret_parked. */
int image_turn_enter(struct image_scheduler *scheduler, const struct request *req,
                     struct image_turn *ret, bool *ret_parked, struct error *err) MUST_USE;

int64_t image_turn_pixels(const struct image_turn *self);

/* Charges pixels to the client; image_turn_enlarge() also moves the image to the slow lane. */
void image_turn_charge(struct image_turn *self, int64_t pixels);
void image_turn_enlarge(struct image_turn *self, int64_t pixels);

int64_t image_turn_until(const struct image_turn *self, int64_t deadline_mono_ms);

/* Waits for a decoder. Parks. At the deadline: ERR_THROTTLED or ERR_DEADLINE. */
int image_turn_begin(struct image_turn *self, int64_t deadline_mono_ms, struct error *err) MUST_USE;
void image_turn_end(struct image_turn *self);

/* True when the client is over a limit, and so caused a delay. */
bool image_turn_over(const struct image_turn *self);
int image_turn_throttled(struct error *err);

void image_turn_leave(struct image_turn *self);

#endif
