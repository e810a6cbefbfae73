/*
 * image_turn.h - who may have an image decoded next.
 *
 * There are two lanes: the fast one for images of few pixels, and the slow one, whose decoders get
 * the CPU time that nothing else wants, for all others. In each the client goes first that has
 * least under way. Who is not signed in (a public link) is one client by its address, with limits:
 * four decodes at a time and 200 megapixels a minute. Beyond them every image goes the slow lane,
 * behind those of other clients; what has not had its turn at the deadline fails with
 * ERR_THROTTLED. So a crowd of large images is slow for the client that sent it, and no other
 * client notices.
 */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_TURN_H
#define ATRIUM_DOCD_IMAGE_IMAGE_TURN_H

#include "common/base/address.h"
#include "common/domain/request.h"
#include "common/runtime/loop.h"

enum {
    IMAGE_CLIENT_DECODES = 4,
    IMAGE_CLIENT_PIXELS = 200 * 1000 * 1000, /* a minute, of one client by address */
    IMAGE_FAST_PIXELS = 25 * 1000 * 1000,    /* of an image in the fast lane */
    IMAGE_FAST_PIXELS_PUBLIC = 4 * 1000 * 1000,
    IMAGE_RESERVE_MS = 300, /* of the time of a client with limits that is left for telling it */
};

struct image_scheduler;
struct image_client;

/* `fast` and `slow` images decode at a time in each lane; at most `queue_max` wait; limited clients
 * have at most `share` images in progress or waiting. */
struct image_scheduler *image_scheduler_new(struct loop *loop, size_t fast, size_t slow,
                                            size_t queue_max, size_t share);
void image_scheduler_destroy(struct image_scheduler **self_p);

/* Images that wait for a turn. */
size_t image_scheduler_waiting(const struct image_scheduler *self);

/* One image on its way. Zero-initialised: none. */
struct image_turn {
    struct image_scheduler *scheduler;
    struct image_client
        *clients[ADDRESS_SUBJECTS_MAX]; /* the account, or the address and its network */
    size_t client_count;
    int lane;   /* of the decoder that it has; -1: none */
    bool large; /* it is one for the slow lane */
};

/* Admits an image of the caller's account, or of the client's address; `req` NULL: of one client
 * without limits. Parks while that client has used its share: *ret_parked. Fails: ERR_THROTTLED,
 * ERR_UNAVAILABLE. */
int image_turn_enter(struct image_scheduler *scheduler, const struct request *req,
                     struct image_turn *ret, bool *ret_parked, struct error *err) MUST_USE;

/* Pixels that may be decoded without another look. */
int64_t image_turn_pixels(const struct image_turn *self);

/* Charges pixels to its client; and moves it to the slow lane. */
void image_turn_charge(struct image_turn *self, int64_t pixels);
void image_turn_enlarge(struct image_turn *self, int64_t pixels);

int64_t image_turn_until(const struct image_turn *self, int64_t deadline_mono_ms);

/* Waits for a decoder. Fails: ERR_OVERLOADED, ERR_THROTTLED or ERR_DEADLINE at the deadline,
 * ERR_UNAVAILABLE. Parks. */
int image_turn_begin(struct image_turn *self, int64_t deadline_mono_ms, struct error *err) MUST_USE;
void image_turn_end(struct image_turn *self);

/* True when its client is over a limit: a delay is then not the service's fault. */
bool image_turn_over(const struct image_turn *self);
int image_turn_throttled(struct error *err);

/* For CLEANUP. */
void image_turn_leave(struct image_turn *self);

#endif
