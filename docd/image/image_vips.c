/*
 * image_vips.c - opens, shrinks while decoding, resizes, crops, rotates, pads, converts, writes.
 *
 * The steps follow sharp, to the pixel: sizes are computed in the file's orientation, again after
 * the decoder has shrunk a JPEG or WebP; rotation follows resizing. libvips works in strips; for
 * what is held whole, see memory_needed(). The file is untrusted: one of five loaders, the header
 * before any decoding, and a deadline for its source and its pixels.
 */
#include "docd/image/image_vips.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>
#include <webp/mux.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "docd/image/image_header.h"

enum {
    RECIPE = 2, /* increase it when the same input gives other bytes */
    QUALITY = 80,
    PNG_COMPRESSION = 6,
    WEBP_EFFORT = 4,
    WEBP_MANY = 4000000, /* pixels: libwebp cannot be stopped once it has all bytes */
    SIDE_MAX = 10000000,
    HELD_BYTES = 8,   /* per decoded pixel: one copy in memory, one in the pipeline */
    RESULT_BYTES = 4, /* per pixel of an encoded result, at worst */
};

struct output {
    const char *contentType;
    int side_max;
    int (*save)(VipsImage *image, void **buffer, size_t *size);
};

/* How a decoder can shrink. JPEG: by 1/2, 1/4 or 1/8; WebP: by any factor. */
enum reduces { REDUCES_NOT, REDUCES_JPEG, REDUCES_WEBP };

struct format {
    const char *loader;
    bool streams; /* decodes in strips, unless interlaced */
    enum reduces reduces;
    const struct output *opaque, *transparent;
};

static void unref(void *object_p)
{
    g_clear_object((GObject **)object_p);
}
#define OBJECT(type) CLEANUP(unref) type *

/* Replaces the image with the operation's result. -1: the image is unchanged. */
#define STEP(image_p, operation, ...)                                             \
    ({                                                                            \
        VipsImage *next_ = NULL;                                                  \
        int failed_ = operation(*(image_p), &next_, ##__VA_ARGS__, (char *)NULL); \
        if (failed_ == 0) {                                                       \
            g_object_unref(*(image_p));                                           \
            *(image_p) = next_;                                                   \
        }                                                                         \
        failed_;                                                                  \
    })

static int64_t pixels(const VipsImage *image)
{
    return (int64_t)image->Xsize * image->Ysize;
}

/* ---- formats ---- */

static int save_jpeg(VipsImage *image, void **buffer, size_t *size)
{
    return vips_jpegsave_buffer(image, buffer, size, "Q", QUALITY, "optimize_coding", TRUE,
                                "subsample_mode", VIPS_FOREIGN_SUBSAMPLE_ON, "strip", TRUE, NULL);
}

static int save_png(VipsImage *image, void **buffer, size_t *size)
{
    return vips_pngsave_buffer(image, buffer, size, "compression", PNG_COMPRESSION, "filter",
                               VIPS_FOREIGN_PNG_FILTER_NONE, "strip", TRUE, NULL);
}

/* libvips 8.14 ignores "strip" for WebP, and writes EXIF data that no input had. */
static int strip_webp(void **buffer, size_t *size)
{
    static const char *const kinds[] = {"EXIF", "XMP ", "ICCP"};
    const WebPData all = {*buffer, *size};
    WebPData bare = {NULL, 0};
    WebPMux *mux = WebPMuxCreate(&all, 0);
    int result = -1;

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        (void)WebPMuxDeleteChunk(mux, kinds[i]);
    if (WebPMuxAssemble(mux, &bare) == WEBP_MUX_OK) {
        g_free(*buffer);
        *buffer = g_memdup2(bare.bytes, bare.size);
        *size = bare.size;
        result = 0;
    }
    WebPMuxDelete(mux);
    WebPDataClear(&bare);
    return result;
}

static int save_webp(VipsImage *image, void **buffer, size_t *size)
{
    int effort = pixels(image) > WEBP_MANY ? 0 : WEBP_EFFORT;

    return vips_webpsave_buffer(image, buffer, size, "Q", QUALITY, "effort", effort, NULL) == 0
               ? strip_webp(buffer, size)
               : -1;
}

static const struct output jpeg = {"image/jpeg", 65500, save_jpeg};
static const struct output png = {"image/png", SIDE_MAX, save_png};
static const struct output webp = {"image/webp", 16383, save_webp};

static const struct format formats[] = {
    {"jpegload_source", true, REDUCES_JPEG, &jpeg, &jpeg},
    {"pngload_source", true, REDUCES_NOT, &png, &png},
    {"webpload_source", false, REDUCES_WEBP, &webp, &webp},
    {"gifload_source", false, REDUCES_NOT, &png, &png},
    {"heifload_source", false, REDUCES_NOT, &jpeg, &png},
};

/* ---- input ---- */

static gint64 read_some(VipsSourceCustom *source G_GNUC_UNUSED, void *buffer, gint64 length,
                        struct image_job *job)
{
    if (clock_mono_ms() > job->deadline_mono_ms) {
        job->status = IMAGE_LATE;
        return -1;
    }
    return read(job->from, buffer, (size_t)length);
}

static gint64 seek_to(VipsSourceCustom *source G_GNUC_UNUSED, gint64 offset, int whence,
                      struct image_job *job)
{
    return lseek(job->from, offset, whence);
}

/* Creates a source that ends at the deadline: a progressive JPEG can have any number of scans. */
static VipsSource *source_new(struct image_job *job)
{
    VipsSourceCustom *source = vips_source_custom_new();

    g_signal_connect(source, "read", G_CALLBACK(read_some), job);
    g_signal_connect(source, "seek", G_CALLBACK(seek_to), job);
    return VIPS_SOURCE(source);
}

static const struct format *format_of(VipsSource *source)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        if (vips_foreign_is_a_source(formats[i].loader, source))
            return &formats[i];
    }
    return NULL;
}

/* Returns a smaller factor where the decoder's rounding would lose the last pixel. */
static int jpeg_shrink(double shrink)
{
    int by = shrink >= 8 ? 8 : shrink >= 4 ? 4 : shrink >= 2 ? 2 : 1;

    return by > 1 && (int)shrink == by ? by / 2 : by;
}

/* Pixels are decoded on demand. The decoder does as much of `shrink` as it can. */
static VipsImage *load(const struct format *format, VipsSource *source, double shrink)
{
    VipsImage *image = NULL;

#define LOAD(...)                                                                          \
    vips_call(format->loader, source, &image, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", \
              VIPS_FAIL_ON_ERROR, ##__VA_ARGS__, NULL)
    switch (format->reduces) {
    case REDUCES_JPEG:
        return LOAD("shrink", jpeg_shrink(shrink)) == 0 ? image : NULL;
    case REDUCES_WEBP:
        return LOAD("scale", MIN(1 / shrink, 1.0)) == 0 ? image : NULL;
    case REDUCES_NOT:
        break;
    }
    return LOAD() == 0 ? image : NULL;
#undef LOAD
}

/* ---- sizes in the file's orientation: sides are swapped if it is rotated ---- */

struct shrink {
    double across, down;
};

static struct shrink resolve(const VipsImage *image, const struct image_size *size)
{
    struct shrink s = {size->width > 0 ? (double)image->Xsize / size->width : 1,
                       size->height > 0 ? (double)image->Ysize / size->height : 1};
    bool covers = size->fit == IMAGE_COVER || size->fit == IMAGE_OUTSIDE;

    if (size->fit != IMAGE_FILL) {
        if (size->width == 0 || (size->height > 0 && (s.down < s.across) == covers))
            s.across = s.down;
        s.down = s.across;
    }
    /* at least one pixel */
    return (struct shrink){MIN(s.across, (double)image->Xsize), MIN(s.down, (double)image->Ysize)};
}

static bool both_sides(const struct image_size *size)
{
    return size->width > 0 && size->height > 0;
}

/* Sides of the result, which can exceed an int. */
struct sides {
    double width, height;
};
static struct sides result_sides(const VipsImage *image, const struct image_size *size)
{
    struct shrink s = resolve(image, size);
    struct sides scaled = {rint(image->Xsize / s.across), rint(image->Ysize / s.down)};

    if (both_sides(size) && (size->fit == IMAGE_COVER || size->fit == IMAGE_CONTAIN))
        return (struct sides){size->width, size->height};
    return scaled;
}

static bool size_check(struct image_job *job, const VipsImage *image, const struct output *output,
                       const struct image_size *size)
{
    struct shrink s = resolve(image, size);
    struct sides result = result_sides(image, size);

    if (pixels(image) > IMAGE_PIXELS_MAX)
        job->status = IMAGE_TOO_LARGE;
    else if (MAX(image->Xsize / s.across, image->Ysize / s.down) > SIDE_MAX ||
             MAX(result.width, result.height) > output->side_max ||
             result.width * result.height > IMAGE_PIXELS_MAX)
        job->status = IMAGE_TOO_LARGE_RESULT;
    else
        return true;
    return false;
}

/* ---- steps ---- */

static int resize(VipsImage **image, const struct image_size *size)
{
    struct shrink s = resolve(*image, size);
    VipsBandFormat depth = (*image)->BandFmt;
    bool alpha = vips_image_hasalpha(*image);

    if (s.across == 1 && s.down == 1)
        return 0;
    /* invisible colors must not bleed */
    if (alpha && (STEP(image, vips_premultiply) < 0 || STEP(image, vips_cast, depth) < 0))
        return -1;
    if (STEP(image, vips_resize, 1 / s.across, "vscale", 1 / s.down) < 0)
        return -1;
    return alpha && (STEP(image, vips_unpremultiply) < 0 || STEP(image, vips_cast, depth) < 0) ? -1
                                                                                               : 0;
}

/* Crops so that the odd pixel is left or on top after the rotation. */
static int cut_at(int off, bool mirrored)
{
    return (off + !mirrored) / 2;
}

static int cut(VipsImage **image, const struct image_size *size, int orientation)
{
    static const bool mirrored_x[9] = {[2] = true, [3] = true, [7] = true, [8] = true};
    static const bool mirrored_y[9] = {[3] = true, [4] = true, [6] = true, [7] = true};
    int width = MIN(size->width, (*image)->Xsize), height = MIN(size->height, (*image)->Ysize);

    if (size->fit != IMAGE_COVER || !both_sides(size))
        return 0;
    return STEP(image, vips_extract_area, cut_at((*image)->Xsize - width, mirrored_x[orientation]),
                cut_at((*image)->Ysize - height, mirrored_y[orientation]), width, height);
}

/* Rotation reads rows in another order than they are decoded, so the image is copied to memory. */
static int turn(VipsImage **image, int orientation)
{
    VipsImage *held;

    if (orientation == 1)
        return 0;
    held = vips_image_copy_memory(*image);
    if (!held)
        return -1;
    g_object_unref(*image);
    *image = held;
    return STEP(image, vips_autorot);
}

#define TO_SRGB(image_p, ...)                                                               \
    STEP(image_p, vips_icc_transform, "srgb", "depth", 8, "intent", VIPS_INTENT_PERCEPTUAL, \
         "black_point_compensation", TRUE, __VA_ARGS__)

/* Ignores an unusable profile. */
static int convert(VipsImage **image)
{
    VipsInterpretation wanted =
        (*image)->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;

    if (vips_image_get_typeof(*image, VIPS_META_ICC_NAME) != 0 &&
        (*image)->Type != VIPS_INTERPRETATION_GREY16 && TO_SRGB(image, "embedded", TRUE) == 0)
        return 0;
    if ((*image)->Type == VIPS_INTERPRETATION_CMYK)
        return TO_SRGB(image, "input_profile", "cmyk");
    return (*image)->Type == wanted ? 0 : STEP(image, vips_colourspace, wanted);
}

/* Expects the sides as requested: the image is already rotated. */
static int pad(VipsImage **image, const struct image_size *size)
{
    static const double white[] = {255, 255, 255}, nothing[] = {0, 0, 0, 0};
    VipsArrayDouble *background;
    int failed;

    if (size->fit != IMAGE_CONTAIN || !both_sides(size))
        return 0;
    background =
        vips_array_double_new(vips_image_hasalpha(*image) ? nothing : white, (*image)->Bands);
    failed = STEP(image, vips_embed, (size->width - (*image)->Xsize) / 2,
                  (size->height - (*image)->Ysize) / 2, size->width, size->height, "extend",
                  VIPS_EXTEND_BACKGROUND, "background", background);
    vips_area_unref(VIPS_AREA(background));
    return failed;
}

/* Removes EXIF with its location, XMP, IPTC, comments and the profile. Savers strip only what they
 * know. */
static int remove_metadata(VipsImage **image)
{
    gchar **names;

    if (STEP(image, vips_copy) < 0) /* fields are removed only from the copy */
        return -1;
    names = vips_image_get_fields(*image);
    for (size_t i = 0; names[i]; i++)
        (void)vips_image_remove(*image, names[i]); /* fails for built-in fields */
    g_strfreev(names);
    return 0;
}

/* ---- the job ---- */

static void stop_late(VipsImage *image, VipsProgress *progress G_GNUC_UNUSED, struct image_job *job)
{
    if (clock_mono_ms() <= job->deadline_mono_ms)
        return;
    job->status = IMAGE_LATE;
    vips_image_set_kill(image, TRUE);
}

static int write_all(struct image_job *job, const char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(job->to, bytes + done, size - done);

        if (n < 0 && errno != EINTR) {
            job->status = IMAGE_NOT_WRITTEN;
            job->error_number = errno;
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Writes the result. Only now are pixels read and computed. */
static int save(struct image_job *job, VipsImage *image, const struct output *output)
{
    void *bytes = NULL;
    size_t size = 0;
    int result = -1;

    vips_image_set_progress(image, TRUE);
    g_signal_connect(image, "eval", G_CALLBACK(stop_late), job);
    job->decoded = true;
    if (output->save(image, &bytes, &size) == 0 && write_all(job, bytes, size) == 0) {
        job->made =
            (struct image_made){output->contentType, image->Xsize, image->Ysize, (int64_t)size};
        result = 0;
    }
    g_free(bytes);
    return result;
}

/* Returns the bytes held in addition to strips. */
static int64_t memory_needed(const struct format *format, const VipsImage *image,
                             const struct output *output, const struct image_size *size,
                             bool turned)
{
    bool interlaced = vips_image_get_typeof(image, "interlaced") != 0;
    struct sides result = result_sides(image, size);
    int64_t made = (int64_t)(result.width * result.height);

    return (format->streams && !interlaced ? 0 : pixels(image) * HELD_BYTES) +
           made * (RESULT_BYTES + (turned || output == &webp ? HELD_BYTES : 0));
}

static bool memory_check(struct image_job *job, int64_t needed)
{
    if (needed <= job->memory)
        return true;
    job->memory = needed;
    job->status = IMAGE_NEEDS_MORE;
    return false;
}

static bool pixels_check(struct image_job *job, int64_t count)
{
    bool fits = count <= job->pixels;

    job->pixels = count;
    if (!fits)
        job->status = IMAGE_NEEDS_MORE;
    return fits;
}

static struct image_size turned_size(const struct image_size *size, bool swap)
{
    return swap ? (struct image_size){size->height, size->width, size->fit} : *size;
}

/* -1: job->status has the reason. */
static int make(struct image_job *job, VipsSource *source, const struct format *format,
                VipsImage **image)
{
    int orientation = vips_image_get_orientation(*image);
    struct image_size size = turned_size(&job->size, vips_image_get_orientation_swap(*image));
    const struct output *output = job->png                      ? &png
                                  : vips_image_hasalpha(*image) ? format->transparent
                                                                : format->opaque;
    struct shrink s = resolve(*image, &size);
    VipsImage *reduced;

    if (!size_check(job, *image, output, &size))
        return -1;
    bool fits = pixels_check(job, pixels(*image));
    if (!memory_check(job, memory_needed(format, *image, output, &size, orientation != 1)) || !fits)
        return -1;
    if (format->reduces != REDUCES_NOT && MIN(s.across, s.down) > 1) {
        reduced = load(format, source, MIN(s.across, s.down));
        if (!reduced)
            return -1;
        g_object_unref(*image);
        *image = reduced;
    }
    if (resize(image, &size) < 0 || cut(image, &size, orientation) < 0 ||
        turn(image, orientation) < 0 || convert(image) < 0 || pad(image, &job->size) < 0 ||
        remove_metadata(image) < 0)
        return -1;
    return save(job, *image, output);
}

void image_vips_run(void *arg)
{
    struct image_job *job = arg;
    OBJECT(VipsSource) source = source_new(job);
    OBJECT(VipsImage) image = NULL;
    const struct format *format;

    job->status = IMAGE_NO_IMAGE;
    (void)lseek(job->from, 0, SEEK_SET); /* an earlier try has read the file */
    format = format_of(source);
    if (format && (format->streams || memory_check(job, vips_source_length(source)))) {
        job->status = IMAGE_DAMAGED; /* unless another cause is found */
        image = load(format, source, 1);
        if (!image && job->status == IMAGE_DAMAGED &&
            image_header_pixels(job->from) > IMAGE_PIXELS_MAX)
            job->status = IMAGE_TOO_LARGE;
        if (image && make(job, source, format, &image) == 0)
            job->status = IMAGE_MADE;
    }
    vips_error_clear();
}

static void say_nothing(const gchar *domain G_GNUC_UNUSED, GLogLevelFlags level G_GNUC_UNUSED,
                        const gchar *message G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
}

void image_vips_prepare(void)
{
    /* Generates no machine code in a process with untrusted images; the gain is not measurable. */
    if (setenv("VIPS_NOVECTOR", "1", 1) < 0)
        log_die("image", "out of memory");
}

bool image_vips_start(void)
{
    if (vips_init("atrium") != 0)
        return false;
    /* A cache would keep deleted files open. */
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    vips_block_untrusted_set(TRUE);
    /* libvips' warnings can reveal what is in a document. */
    g_log_set_default_handler(say_nothing, NULL);
    return true;
}

const char *image_version(void)
{
    static char text[32];

    if (text[0] == '\0')
        snprintf(text, sizeof(text), "%s-%d", vips_version_string(), RECIPE);
    return text;
}
