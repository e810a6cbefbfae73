/*
 * image_process.h - the process that decodes images: bytes that a client chose meet libvips there
 * and nowhere else.
 *
 * It is this very program, started confined (common/runtime/confine.h) with the first image and
 * again after its death. It has no key, no network and no file but those that come with an order,
 * over a socket. It forks decoders, each for images of one project only, so that what one image
 * does to its decoder no other project's image meets. A decoder gives up opening files, forking and
 * signals, and has bounds of its own for memory and, with each order, for time.
 */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_PROCESS_H
#define ATRIUM_DOCD_IMAGE_IMAGE_PROCESS_H

#include "docd/image/image_vips.h"

struct image_process;

enum { IMAGE_PROCESS_JOBS_MAX = 192 }; /* at the same time */

/* At most `resting_max` decoders wait for another image of their project; an image may need
 * `memory` bytes. Starts nothing. */
struct image_process *image_process_new(struct loop *loop, size_t resting_max, int64_t memory);

/* Ends the process. No fiber may be inside image_process_run(). Blocks for milliseconds. */
void image_process_destroy(struct image_process **self_p);

/* Has a decoder of that project do the job, and parks until its deadline and a moment more; `idle`:
 * with idle CPU time. The job's verdict says what happened. ERR_UNAVAILABLE: the decoder died or
 * none can be had. */
int image_process_run(struct image_process *self, struct uuid project, struct image_job *job,
                      bool idle, struct error *err) MUST_USE;

/* The means that confines it, by the trial at the start; NULL: none works here, and no image is
 * decoded. Static. */
const char *image_process_choice(const struct image_process *self);

/* First in main(): true in the decoding process; its life, which returns the exit status. */
bool image_program_wanted(int argc, char **argv);
int image_program(void);

/* ---- between the two ---- */

struct image_hire { /* to the process, with the decoder's socket */
    int idle;
};
struct image_order { /* to a decoder, with the files `from` and `to` */
    struct image_size size;
    int64_t deadline_mono_ms;
    int64_t memory, pixels; /* that it may use */
    int png;                /* what it makes */
};
struct image_report { /* from it; the end of the socket instead: it died */
    int status;       /* enum image_status */
    int error_number;
    int decoded;
    int64_t memory, pixels; /* that it needs */
    int type;               /* index into image_types */
    int width, height;
    int64_t bytes;
};
extern const char *const image_types[]; /* "image/jpeg" ...; NULL-ended */

#endif
