/*
 * image_process.h - the process that decodes images: libvips reads clients' bytes only there.
 *
 * It runs this same program, confined (common/runtime/confine.h), and gets only the files that
 * arrive with an order over a socket. It forks decoders, each for one project: an image that takes
 * over its decoder meets no other project's images. Decoders cannot open files, fork or send
 * signals, and have limits for memory and, per order, for time.
 */
#ifndef ATRIUM_DOCD_IMAGE_IMAGE_PROCESS_H
#define ATRIUM_DOCD_IMAGE_IMAGE_PROCESS_H

#include "docd/image/image_vips.h"

struct image_process;

enum { IMAGE_PROCESS_JOBS_MAX = 192 };

/* Starts nothing yet. At most `resting_max` decoders wait for work; an image may need `memory`
 * bytes. */
struct image_process *image_process_new(struct loop *loop, size_t resting_max, int64_t memory);

/* No fiber may be inside image_process_run(). Blocks for milliseconds. */
void image_process_destroy(struct image_process **self_p);

/* Runs the job and parks until shortly after its deadline; job->status has the outcome. `idle`:
 * with idle CPU time. ERR_UNAVAILABLE: the decoder died, or there is none. */
int image_process_run(struct image_process *self, struct uuid project, struct image_job *job,
                      bool idle, struct error *err) MUST_USE;

/* Returns the confinement that works, or NULL: no image is decoded. Static. */
const char *image_process_choice(const struct image_process *self);

/* True in the decoding process, which then runs image_program(). Call it first in main(). */
bool image_program_wanted(int argc, char **argv);
int image_program(void);

/* ---- protocol ---- */

struct image_hire { /* docd to the process, with the decoder's socket */
    int idle;
};
struct image_order { /* docd to a decoder, with the files `from` and `to` */
    struct image_size size;
    int64_t deadline_mono_ms;
    int64_t memory, pixels; /* limits */
    int png;                /* bool */
};
struct image_report { /* from a decoder; end of file: it died */
    int status;       /* enum image_status */
    int error_number;
    int decoded;
    int64_t memory, pixels; /* needs */
    int type;               /* index into image_types */
    int width, height;
    int64_t bytes;
};
extern const char *const image_types[]; /* "image/jpeg" ...; NULL-ended */

#endif
