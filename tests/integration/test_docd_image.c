/*
 * test_docd_image.c - resized images as sharp makes them, and refusals. sharp comes from `make
 * npm`.
 *
 * tier: test browser
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "docd/image/image.h"
#include "docd/image/image_process.h"
#include "docd/image/image_vips.h"
#include "docd/image_api.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

enum { MEMORY = 1 << 30, DEADLINE_MS = 20000 };

static const struct uuid project = {"5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"};
static struct unit_dir dir;

static const char *in_dir(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", dir.path, name);
    return path;
}

/* ---- one image ---- */

struct request_of {
    const char *input; /* in the directory */
    struct image_size size;
    int64_t timeout_ms; /* 0: more than enough */
    int64_t memory;     /* 0: more than enough */
    bool png;           /* image_make_png() */
    int result, out;
    struct image_made made;
    struct error err;
    uint64_t decodes;
};

static void ask(struct loop *loop, void *arg)
{
    struct request_of *r = arg;
    struct image_pool *pool = image_pool_new(loop, 2, 8, r->memory > 0 ? r->memory : MEMORY);
    int64_t timeout_ms = r->timeout_ms > 0 ? r->timeout_ms : DEADLINE_MS;
    int in = open(in_dir(r->input), O_RDONLY | O_CLOEXEC);
    struct image_turn turn;
    bool parked;

    UNIT_REQUIRE(in >= 0, "%s", r->input);
    CU_ASSERT_EQUAL(image_enter(pool, NULL, &turn, &parked, &r->err), 0);
    r->result =
        (r->png ? image_make_png : image_make)(pool, &turn, project, clock_mono_ms() + timeout_ms,
                                               in, r->out, &r->size, &r->made, &r->err);
    image_turn_leave(&turn);
    r->decodes = image_decodes(pool);
    CU_ASSERT_EQUAL(image_waiting(pool), 0);
    close(in);
    image_pool_destroy(&pool);
}

/* Runs the request. Its result is in r->out, which close_result() closes. */
static void image_of(struct request_of *r, struct arena *arena)
{
    error_init(&r->err, arena);
    r->result = -1;
    r->out = open(in_dir("out"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    unit_on_fiber(ask, r);
    close(r->out);
}

static void check_refused(const char *input, struct image_size size, enum error_code code,
                          const char *path, const char *message, int64_t timeout_ms)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request_of r = {.input = input, .size = size, .timeout_ms = timeout_ms};
    const struct error_item *problem;

    image_of(&r, arena);
    problem = r.err.problems;
    UNIT_CHECK(r.result == -1 && r.err.code == code, "%s: %d %d", input, r.result, r.err.code);
    if (!path)
        return;
    UNIT_CHECK(problem && strcmp(problem->name, path) == 0 && strcmp(problem->value, message) == 0,
               "%s: %s %s", input, problem ? problem->name : "-", problem ? problem->value : "-");
}

/* ---- compared with sharp ---- */

struct golden {
    const char *input;
    int width, height;
    enum image_fit fit;
    const char *type;
};

#define ALL_FITS(input, width, height, type)                                                  \
    {input, width, height, IMAGE_COVER, type}, {input, width, height, IMAGE_CONTAIN, type},   \
        {input, width, height, IMAGE_FILL, type}, {input, width, height, IMAGE_INSIDE, type}, \
    {                                                                                         \
        input, width, height, IMAGE_OUTSIDE, type                                             \
    }

/* The images have an odd or even number of pixels to crop, horizontally and vertically. */
#define TURNED(input)                                                                             \
    ALL_FITS(input, 90, 61, "image/jpeg"), {input, 90, 60, IMAGE_COVER, "image/jpeg"},            \
        {input, 91, 60, IMAGE_COVER, "image/jpeg"}, {input, 150, 50, IMAGE_COVER, "image/jpeg"},  \
        {input, 150, 51, IMAGE_COVER, "image/jpeg"}, {input, 50, 150, IMAGE_COVER, "image/jpeg"}, \
    {                                                                                             \
        input, 51, 150, IMAGE_COVER, "image/jpeg"                                                 \
    }

static const struct golden goldens[] = {
    ALL_FITS("photo.jpg", 300, 200, "image/jpeg"),
    ALL_FITS("photo.jpg", 101, 300, "image/jpeg"),
    ALL_FITS("photo.jpg", 0, 100, "image/jpeg"),
    ALL_FITS("photo.jpg", 151, 0, "image/jpeg"),
    ALL_FITS("photo.jpg", 640, 427, "image/jpeg"),
    ALL_FITS("photo.jpg", 800, 900, "image/jpeg"),
    ALL_FITS("large.jpg", 300, 200, "image/jpeg"),
    ALL_FITS("large.jpg", 199, 151, "image/jpeg"),
    ALL_FITS("large.jpg", 97, 401, "image/jpeg"),
    ALL_FITS("progressive.jpg", 100, 77, "image/jpeg"),
    ALL_FITS("wide.jpg", 200, 100, "image/jpeg"),
    ALL_FITS("wide.jpg", 10, 10, "image/jpeg"),
    TURNED("turned1.jpg"),
    TURNED("turned2.jpg"),
    TURNED("turned3.jpg"),
    TURNED("turned4.jpg"),
    TURNED("turned5.jpg"),
    TURNED("turned6.jpg"),
    TURNED("turned7.jpg"),
    TURNED("turned8.jpg"),
    ALL_FITS("turned6.jpg", 50, 0, "image/jpeg"),
    ALL_FITS("turned8.jpg", 81, 260, "image/jpeg"),
    ALL_FITS("turned7.jpg", 300, 200, "image/jpeg"),
    ALL_FITS("plain.png", 120, 90, "image/png"),
    ALL_FITS("alpha.png", 120, 91, "image/png"),
    ALL_FITS("alpha.png", 500, 400, "image/png"),
    ALL_FITS("palette.png", 77, 77, "image/png"),
    ALL_FITS("interlaced.png", 77, 77, "image/png"),
    ALL_FITS("tiny.png", 60, 61, "image/png"),
    ALL_FITS("photo.webp", 120, 90, "image/webp"),
    ALL_FITS("alpha.webp", 120, 90, "image/webp"),
    ALL_FITS("animated.gif", 60, 60, "image/png"),
    ALL_FITS("photo.avif", 120, 90, "image/jpeg"),
    ALL_FITS("alpha.avif", 120, 90, "image/png"),
    {"grey.jpg", 100, 100, IMAGE_COVER, "image/jpeg"},
    {"grey.jpg", 100, 100, IMAGE_CONTAIN, "image/jpeg"},
    {"cmyk.jpg", 100, 100, IMAGE_COVER, "image/jpeg"},
    {"cmyk.jpg", 100, 100, IMAGE_CONTAIN, "image/jpeg"},
    {"p3.jpg", 100, 100, IMAGE_COVER, "image/jpeg"},
    {"deep.png", 100, 100, IMAGE_COVER, "image/png"},
    {"deep.png", 100, 100, IMAGE_CONTAIN, "image/png"},
    {"deep-alpha.png", 100, 100, IMAGE_CONTAIN, "image/png"},
    {"deep-grey.png", 100, 100, IMAGE_CONTAIN, "image/png"},
    {"grey-alpha.png", 100, 100, IMAGE_CONTAIN, "image/png"},
    {"p3-alpha.png", 100, 100, IMAGE_CONTAIN, "image/png"},
};

enum { SHARP_MS = 120000 };

static const struct unit_need needs[] = {{"build/npm/installed/sharp", "npm"}, {NULL, NULL}};

static struct program *ask_sharp(void)
{
    const char *const argv[] = {"/usr/bin/env", "node", "tests/sharp/golden.cjs", dir.path, NULL};
    char *wanted = NULL;
    size_t size;
    FILE *out = open_memstream(&wanted, &size);
    struct program *sharp;

    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    for (size_t i = 0; i < ARRAY_SIZE(goldens); i++) {
        const struct golden *g = &goldens[i];

        fprintf(out, "%s %d %d %s %s\n", g->input, g->width, g->height, image_fit_names[g->fit],
                g->type + strlen("image/"));
    }
    fclose(out);
    sharp = program_start(argv, wanted);
    program_wait_end(sharp, SHARP_MS);
    free(wanted);
    return sharp;
}

/* The distance of two images of the same size, with colors weighted by visibility. */
struct distance {
    double mean, high; /* mean of all differences; the value that 1 in 100 exceeds */
};

static struct distance distance(const uint8_t *a, const uint8_t *b, size_t count)
{
    size_t histogram[256] = {0}, above = 0;
    struct distance d = {0};

    for (size_t i = 0; i < count * 4; i++) {
        size_t pixel = i / 4 * 4;
        int alpha = (a[pixel + 3] + b[pixel + 3]) / 2;
        int off = abs(a[i] - b[i]) * (i % 4 == 3 ? 255 : alpha) / 255;

        histogram[off]++;
        d.mean += off / (double)(count * 4);
    }
    for (d.high = 255; d.high > 0 && (above += histogram[(int)d.high]) <= count * 4 / 100;)
        d.high--;
    return d;
}

static uint8_t *pixels_of(int *ret_width, int *ret_height)
{
    VipsImage *image = vips_image_new_from_file(in_dir("out"), NULL), *colour, *rgba;
    size_t size;
    uint8_t *bytes;

    if (!image || vips_colourspace(image, &colour, VIPS_INTERPRETATION_sRGB, NULL) < 0)
        return NULL;
    if (vips_addalpha(colour, &rgba, NULL) < 0)
        return NULL;
    if (vips_image_hasalpha(colour)) {
        g_object_unref(rgba);
        rgba = g_object_ref(colour);
    }
    *ret_width = rgba->Xsize;
    *ret_height = rgba->Ysize;
    bytes = vips_image_write_to_memory(rgba, &size);
    g_object_unref(rgba);
    g_object_unref(colour);
    g_object_unref(image);
    return bytes;
}

static void check_golden(const struct golden *g, const char *answer)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request_of r = {.input = g->input, .size = {g->width, g->height, g->fit}};
    int width = 0, height = 0, real_width = -1, real_height = -1;
    char name[64] = "";
    const char *label =
        arena_printf(arena, "%s %dx%d %s", g->input, g->width, g->height, image_fit_names[g->fit]);
    uint8_t *ours, *theirs;
    struct distance d;
    FILE *file;

    UNIT_REQUIRE(sscanf(answer, "%d %d %63s", &width, &height, name) == 3, "%s", label);
    image_of(&r, arena);
    UNIT_REQUIRE(r.result == 0, "%s: %s", label, r.err.message);
    UNIT_CHECK(r.made.width == width && r.made.height == height, "%s: %dx%d, sharp %dx%d", label,
               r.made.width, r.made.height, width, height);
    UNIT_CHECK(strcmp(r.made.contentType, g->type) == 0, "%s: %s", label, r.made.contentType);
    ours = pixels_of(&real_width, &real_height);
    UNIT_REQUIRE(ours && real_width == width && real_height == height, "%s", label);
    theirs = malloc((size_t)(width * height * 4));
    file = fopen(in_dir(name), "r");
    UNIT_CHECK(file && fread(theirs, 4, (size_t)(width * height), file) == (size_t)(width * height),
               "%s", label);
    d = distance(ours, theirs, (size_t)(width * height));
    if (getenv("SHOW"))
        printf("%-40s %6.2f %4.0f\n", label, d.mean, d.high);
    UNIT_CHECK(d.mean < 3 && d.high < 24, "%s: mean %.2f, high %.0f", label, d.mean, d.high);
    if (file)
        fclose(file);
    free(theirs);
    g_free(ours);
}

static void test_sizes_and_pixels_are_those_of_sharp(void)
{
    char *rest = NULL;

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return;
    PROGRAM sharp = ask_sharp();
    CHECK_EXIT(sharp, 0);
    for (size_t i = 0; i < ARRAY_SIZE(goldens); i++) {
        const char *line = strtok_r(i == 0 ? sharp->out : NULL, "\n", &rest);

        UNIT_CHECK(line != NULL, "%s", goldens[i].input);
        check_golden(&goldens[i], line ? line : "");
    }
}

/* ---- generated inputs ---- */

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_dir(name), "w");

    CU_ASSERT_FATAL(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

/* Writes a dark image in the format of the name's extension; `option` is an option of the saver, or
 * NULL. */
static void put_dark(const char *name, int width, int height, const char *option)
{
    VipsImage *image = NULL;

    CU_ASSERT_FATAL(vips_black(&image, width, height, "bands", 3, NULL) == 0);
    CU_ASSERT_FATAL(
        vips_image_write_to_file(image, in_dir(name), option, option ? TRUE : 0, NULL) == 0);
    g_object_unref(image);
}

static void put_part(const char *name, const char *of, double part)
{
    gchar *bytes;
    gsize size;

    CU_ASSERT_FATAL(g_file_get_contents(strchr(of, '/') ? of : in_dir(of), &bytes, &size, NULL));
    put(name, bytes, (size_t)((double)size * part));
    g_free(bytes);
}

static void put_animation(const char *name)
{
    VipsImage *frames = NULL;

    CU_ASSERT_FATAL(vips_black(&frames, 400, 600, "bands", 3, NULL) == 0);
    vips_image_set_int(frames, VIPS_META_PAGE_HEIGHT, 300);
    CU_ASSERT_FATAL(vips_image_write_to_file(frames, in_dir(name), NULL) == 0);
    g_object_unref(frames);
}

/* Writes the only frame of a WebP without the extended format, which libvips always writes. */
static void put_frame(const char *name, const char *of, const char *chunk)
{
    gchar *text, *found;
    gsize size;

    CU_ASSERT_FATAL(g_file_get_contents(in_dir(of), &text, &size, NULL));
    found = memmem(text, size, chunk, 4);
    CU_ASSERT_FATAL(found != NULL);
    size = 8 + GUINT32_FROM_LE(*(guint32 *)(void *)(found + 4));
    memmove(text + 12, found, size);
    *(guint32 *)(void *)(text + 4) = GUINT32_TO_LE((guint32)(4 + size));
    put(name, text, 12 + size);
    g_free(text);
}

static void put_between(const char *name, const char *of, size_t from, size_t to, const void *bytes,
                        size_t size)
{
    GByteArray *made = g_byte_array_new();
    gchar *text;
    gsize length;

    CU_ASSERT_FATAL(g_file_get_contents(in_dir(of), &text, &length, NULL));
    g_byte_array_append(made, (const guint8 *)text, (guint)from);
    g_byte_array_append(made, bytes, (guint)size);
    g_byte_array_append(made, (const guint8 *)text + to, (guint)(length - to));
    put(name, made->data, made->len);
    g_byte_array_free(made, TRUE);
    g_free(text);
}

/* The longest possible JPEG segment, so that what follows it is far from the start. */
static const uint8_t application_data[2 + 65535] = {0xff, 0xef, 0xff, 0xff};

/* The header of a PNG of 60,000 x 60,000 one-bit pixels without data, which decoders call
 * damaged. */
static const uint8_t bomb[] = {
    0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,   0,   13,   'I',  'H',  'D',
    'R',  0,    0,    0xea, 0x60, 0,    0,    0xea, 0x60, 1,   0,   0,    0,    0,    0xa8,
    0xa9, 0x48, 0xef, 0,    0,    0,    0,    'I',  'D',  'A', 'T', 0x35, 0xaf, 0x06, 0x1e,
};

static const char svg[] = "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" "
                          "width=\"40\" height=\"40\"><rect width=\"9\" height=\"9\"/></svg>";

static void inputs_are_made(void)
{
    put_dark("dark.jpg", 400, 300, NULL);
    put_dark("dark.png", 400, 300, NULL);
    put_dark("dark.webp", 400, 300, NULL);
    put_dark("dark.gif", 400, 300, NULL);
    put_dark("lossless.webp", 400, 300, "lossless");
    put_frame("plain.webp", "dark.webp", "VP8 ");
    put_frame("whole.webp", "lossless.webp", "VP8L");
    put_animation("animated.webp");
    put_part("small.heic", "tests/integration/small.heic", 1);
    put_between("small.avif", "small.heic", 8, 12, "avif", 4);
    put_between("far.jpg", "dark.jpg", 2, 2, application_data, sizeof(application_data));
    put_dark("dark.tif", 40, 30, NULL);
    put_dark("narrow.png", 2, 900, NULL);
    put_dark("limit.png", 10000, 10000, NULL);
    put_dark("over.png", 10001, 10000, NULL);
    put_dark("held.png", 3000, 3000, "interlace");
    put_dark("scans.jpg", 8000, 8000, "interlace");
    put_part("cut.jpg", "dark.jpg", 0.5);
    put_part("cut.png", "dark.png", 0.5);
    put_part("cut.webp", "dark.webp", 0.5);
    put_part("cut.gif", "dark.gif", 0.5);
    put_part("cut.heic", "tests/integration/small.heic", 0.9);
    put_part("head.jpg", "dark.jpg", 0.01);
    put("bomb.png", bomb, sizeof(bomb));
    put_text("drawing.svg", svg);
    put_text("note.txt", "Not an image at all.\n");
    put_text("empty", "");
}

/* ---- formats ---- */

static void test_formats_become_what_browsers_show(void)
{
    static const char *const table[][2] = {
        {"dark.jpg", "image/jpeg"}, {"dark.png", "image/png"},    {"dark.webp", "image/webp"},
        {"dark.gif", "image/png"},  {"small.heic", "image/jpeg"}, {"limit.png", "image/png"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct request_of r = {.input = table[i][0], .size = {64, 48, IMAGE_FILL}};
        struct stat st;

        image_of(&r, arena);
        UNIT_CHECK(r.result == 0 && strcmp(r.made.contentType, table[i][1]) == 0 &&
                       r.made.width == 64 && r.made.height == 48 && r.decodes == 1,
                   "%s: %s %s", table[i][0], r.err.message, r.made.contentType);
        CU_ASSERT(stat(in_dir("out"), &st) == 0 && st.st_size == r.made.bytes);
    }
}

/* ---- metadata ---- */

#define MARK "MARK47.3769N8.5417E"

/* A color in a wide-gamut space, with a place, a name and a profile in every kind of metadata of
 * the format. */
static const double wide_red[] = {230, 60, 40, 128};

static VipsImage *marked(int bands)
{
    VipsImage *black = NULL, *flat = NULL, *image = NULL;
    VipsBlob *profile = NULL;
    size_t size;
    const void *bytes;

    CU_ASSERT_FATAL(vips_black(&black, 16, 12, "bands", bands, NULL) == 0);
    CU_ASSERT_FATAL(vips_linear(black, &flat, (double[]){1, 1, 1, 1}, wide_red, bands, "uchar",
                                TRUE, NULL) == 0);
    CU_ASSERT_FATAL(vips_copy(flat, &image, "interpretation", VIPS_INTERPRETATION_sRGB, NULL) == 0);
    CU_ASSERT_FATAL(vips_profile_load("p3", &profile, NULL) == 0);
    bytes = vips_blob_get(profile, &size);
    vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, bytes, size);
    vips_area_unref(VIPS_AREA(profile));
    vips_image_set_string(image, "exif-ifd0-ImageDescription", MARK " (" MARK ", ASCII)");
    vips_image_set_string(image, "exif-ifd3-GPSLatitude", "47/1 22/1 3684/100 (47, Rational)");
    vips_image_set_blob_copy(image, VIPS_META_XMP_NAME, "<x>" MARK "</x>", sizeof(MARK) + 6);
    vips_image_set_blob_copy(image, VIPS_META_IPTC_NAME, "8BIM" MARK, sizeof(MARK) + 3);
    vips_image_set_string(image, "png-comment-0-Author", MARK);
    g_object_unref(black);
    g_object_unref(flat);
    return image;
}

static void put_marked(const char *name, int bands)
{
    VipsImage *image = marked(bands);

    UNIT_CHECK(vips_image_write_to_file(image, in_dir(name), NULL) == 0, "%s: %s", name,
               vips_error_buffer());
    g_object_unref(image);
}

/* Inserts a comment at this offset from the start, or from the end. */
static void put_comment(const char *name, long at, const char *bytes, size_t size)
{
    gchar *text;
    gsize length, before;
    GString *with;

    CU_ASSERT_FATAL(g_file_get_contents(in_dir(name), &text, &length, NULL));
    before = at < 0 ? length - (gsize)-at : (gsize)at;
    with = g_string_new_len(text, (gssize)length);
    g_string_insert_len(with, (gssize)before, bytes, (gssize)size);
    put(name, with->str, with->len);
    g_string_free(with, TRUE);
    g_free(text);
}

static const char jpeg_comment[] = "\xff\xfe\x00\x15" MARK,
                  gif_comment[] = "!\xfe\x13" MARK; /* the array's NUL terminates it */

/* Lists a file's parts by name in brackets; "[?]" for another format. */
static void jpeg_parts(const uint8_t *bytes, size_t size, GString *ret)
{
    size_t at = 2;

    while (at + 4 <= size && bytes[at] == 0xff && bytes[at + 1] != 0xda) {
        g_string_append_printf(ret, "[%02x]", bytes[at + 1]);
        at += 2 + (size_t)(bytes[at + 2] << 8 | bytes[at + 3]);
    }
    g_string_append(ret, at + 4 <= size ? "[da]" : "[?]");
    while (at + 2 <= size && !(bytes[at] == 0xff && bytes[at + 1] == 0xd9))
        at++;
    g_string_append(ret, at + 2 == size ? "[d9]" : "[?]");
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void png_parts(const uint8_t *bytes, size_t size, GString *ret)
{
    size_t at = 8;

    while (at + 12 <= size) {
        g_string_append_printf(ret, "[%.4s]", (const char *)bytes + at + 4);
        at += 12 + (size_t)big_endian(bytes + at);
    }
    if (at != size)
        g_string_append(ret, "[?]");
}

static void webp_parts(const uint8_t *bytes, size_t size, GString *ret)
{
    size_t at = 12;

    while (at + 8 <= size) {
        uint32_t length = GUINT32_SWAP_LE_BE(big_endian(bytes + at + 4));

        g_string_append_printf(ret, "[%.4s]", (const char *)bytes + at);
        if (memcmp(bytes + at, "VP8X", 4) == 0 && (bytes[at + 8] & ~0x10) != 0)
            g_string_append(ret, "[flags of metadata]");
        at += 8 + length + length % 2;
    }
    if (at != size)
        g_string_append(ret, "[?]");
}

static bool only_of(const char *parts, const char *allowed)
{
    char name[16];

    for (const char *at = parts; *at; at += strlen(name)) {
        if (sscanf(at, "%15[^]]", name) != 1)
            return false;
        strcat(name, "]");
        if (!strstr(allowed, name))
            return false;
    }
    return *parts != '\0';
}

static const struct writer {
    const char *type, *allowed;
    void (*parts)(const uint8_t *bytes, size_t size, GString *ret);
} writers[] = {
    {"image/jpeg", "[e0][db][c0][c4][da][d9]", jpeg_parts},
    {"image/png", "[IHDR][PLTE][tRNS][pHYs][IDAT][IEND]", png_parts},
    {"image/webp", "[VP8X][VP8 ][VP8L][ALPH]", webp_parts},
};

/* True unless the file contains nothing of the place's name and position. */
static bool is_marked(const char *name, const char *type, GString *parts)
{
    bool bare = true, marked;
    gchar *bytes;
    gsize size;

    CU_ASSERT_FATAL(g_file_get_contents(in_dir(name), &bytes, &size, NULL));
    for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
        if (strcmp(writers[i].type, type) != 0)
            continue;
        writers[i].parts((const uint8_t *)bytes, size, parts);
        bare = only_of(parts->str, writers[i].allowed);
    }
    marked = !bare || memmem(bytes, size, MARK, strlen(MARK));
    g_free(bytes);
    return marked;
}

static void check_marked(const char *label, const char *name, const char *type, bool want)
{
    GString *parts = g_string_new("");

    UNIT_CHECK(is_marked(name, type, parts) == want, "%s: %s", label, parts->str);
    g_string_free(parts, TRUE);
}

/* The profile is removed, so values must be in sRGB, as a color-managed viewer would have shown. */
static void check_color(const char *label)
{
    VipsImage *image = marked(3), *shown = NULL;
    int width, height, n;
    double *want;
    uint8_t *pixels = pixels_of(&width, &height);

    CU_ASSERT_FATAL(vips_icc_transform(image, &shown, "srgb", "embedded", TRUE, "intent",
                                       VIPS_INTENT_PERCEPTUAL, "black_point_compensation", TRUE,
                                       NULL) == 0);
    CU_ASSERT_FATAL(vips_getpoint(shown, &want, &n, 4, 3, NULL) == 0 && n == 3);
    for (int i = 0; pixels && i < 3; i++)
        UNIT_CHECK(fabs(pixels[(2 * width + 3) * 4 + i] - want[i]) <= 10, "%s: band %d: %d, not %g",
                   label, i, pixels[(2 * width + 3) * 4 + i], want[i]);
    UNIT_CHECK(pixels != NULL, "%s", label);
    g_free(want);
    g_free(pixels);
    g_object_unref(shown);
    g_object_unref(image);
}

static void metadata_of_every_format_is_left_out(void)
{
    static const struct {
        const char *input, *in, *type;
        int bands;
        bool profile; /* this format's profile is read */
    } table[] = {
        {"marked.jpg", "image/jpeg", "image/jpeg", 3, true},
        {"marked.png", "image/png", "image/png", 3, true},
        {"marked-a.png", "image/png", "image/png", 4, true},
        {"marked.webp", "image/webp", "image/webp", 3, true},
        {"marked-a.webp", "image/webp", "image/webp", 4, true},
        {"marked.gif", "image/gif", "image/png", 3, false},
        {"marked.avif", "image/avif", "image/jpeg", 3, true},
        {"marked-a.avif", "image/avif", "image/png", 4, true},
    };
    static const struct image_size sizes[] = {{16, 12, IMAGE_COVER}, {8, 6, IMAGE_CONTAIN}};

    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        put_marked(table[i].input, table[i].bands);
    put_comment("marked.jpg", 2, jpeg_comment, sizeof(jpeg_comment) - 1);
    put_comment("marked.gif", -1, gif_comment, sizeof(gif_comment));
    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        check_marked(table[i].input, table[i].input, table[i].in, true);
    for (size_t i = 0; i < ARRAY_SIZE(table) * ARRAY_SIZE(sizes) * 2; i++) {
        const char *input = table[i / 4].input;
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct request_of r = {.input = input, .size = sizes[i / 2 % 2], .png = i % 2};
        const char *type = r.png ? "image/png" : table[i / 4].type,
                   *label =
                       arena_printf(arena, "%s %dx%d %s", input, r.size.width, r.size.height, type);

        image_of(&r, arena);
        UNIT_CHECK(r.result == 0 && strcmp(r.made.contentType, type) == 0, "%s: %s", label,
                   r.err.message);
        check_marked(label, "out", type, false);
        if (table[i / 4].profile)
            check_color(label);
    }
}

/* ---- refusals ---- */

static void test_what_is_no_whole_image_or_too_large_a_one_is_refused(void)
{
    static const char no_image[] = "needs a JPEG, PNG, WebP, GIF, HEIF or AVIF image",
                      damaged[] = "needs an undamaged image",
                      large[] = "needs an image of at most 100 megapixels",
                      result[] = "would make the resized image too large";
    static const struct {
        const char *input;
        struct image_size size;
        const char *path, *message;
    } table[] = {
        {"drawing.svg", {40, 40, IMAGE_COVER}, "width", no_image},
        {"drawing.svg", {0, 40, IMAGE_COVER}, "height", no_image},
        {"note.txt", {40, 0, IMAGE_COVER}, "width", no_image},
        {"empty", {40, 40, IMAGE_COVER}, "width", no_image},
        {"dark.tif", {40, 40, IMAGE_COVER}, "width", no_image},
        {"cut.jpg", {40, 40, IMAGE_COVER}, "width", damaged},
        {"head.jpg", {40, 40, IMAGE_COVER}, "width", damaged},
        {"cut.png", {40, 40, IMAGE_COVER}, "width", damaged},
        {"cut.webp", {40, 40, IMAGE_COVER}, "width", damaged},
        {"cut.gif", {40, 40, IMAGE_COVER}, "width", damaged},
        {"cut.heic", {40, 40, IMAGE_COVER}, "width", damaged},
        {"bomb.png", {40, 40, IMAGE_COVER}, "width", large},
        {"over.png", {0, 40, IMAGE_COVER}, "height", large},
        {"narrow.png", {6000, 0, IMAGE_COVER}, "width", result},
        {"narrow.png", {6000, 6000, IMAGE_OUTSIDE}, "width", result},
    };

    for (size_t i = 0; i < ARRAY_SIZE(table); i++)
        check_refused(table[i].input, table[i].size, ERR_VALIDATION, table[i].path,
                      table[i].message, 0);
}

/* Where a file has its dimensions: at offset `at`, or at that offset after `mark`, with `bytes` for
 * each side, one after the other. */
struct header {
    const char *input, *mark;
    size_t at, bytes;
    bool little, minus_one, height_first, crc, packed; /* packed: 14 bits each */
    uint32_t side_max;                                 /* the format's maximum */
};

static void put_number(uint8_t *to, uint32_t number, size_t bytes, bool little)
{
    for (size_t i = 0; i < bytes; i++)
        to[little ? i : bytes - 1 - i] = (uint8_t)(number >> (8 * i));
}

static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < 8 * size; i++) {
        if (i % 8 == 0)
            crc ^= bytes[i / 8];
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void put_sized(const char *name, const struct header *header, uint32_t width,
                      uint32_t height)
{
    uint32_t first = (header->height_first ? height : width) - header->minus_one;
    uint32_t second = (header->height_first ? width : height) - header->minus_one;
    gchar *text;
    gsize size;

    CU_ASSERT_FATAL(g_file_get_contents(in_dir(header->input), &text, &size, NULL));
    uint8_t *bytes = (uint8_t *)text, *from = bytes;
    do {
        if (header->mark)
            from = memmem(from, size - (size_t)(from - bytes), header->mark, strlen(header->mark));
        if (from) {
            from += header->at;
            if (header->packed)
                put_number(from, first | second << 14, 4, true);
            else
                put_number(from, first, header->bytes, header->little);
            if (!header->packed)
                put_number(from + header->bytes, second, header->bytes, header->little);
        }
    } while (header->mark && from);
    if (header->crc)
        put_number(bytes + 29, crc_of(bytes + 12, 17), 4, false);
    put(name, bytes, size);
    g_free(text);
}

/* An image is refused as too large for any dimensions in its header, whether or not a decoder would
 * continue. */
static void test_too_large_an_image_is_named_so_in_every_format(void)
{
    static const struct header headers[] = {
        {"dark.jpg", "\xff\xc0", 5, 2, .height_first = true, .side_max = 65535},
        {"dark.png", NULL, 16, 4, .crc = true, .side_max = INT32_MAX},
        {"dark.gif", "\x90\x01\x2c\x01", 0, 2, .little = true, .side_max = 65535},
        {"plain.webp", "\x9d\x01\x2a", 3, 2, .little = true, .side_max = 16383},
        {"animated.webp", NULL, 24, 3, .little = true, .minus_one = true, .side_max = 1 << 24},
        {"whole.webp", NULL, 21, 4, .minus_one = true, .packed = true, .side_max = 16384},
        {"small.heic", "ispe", 8, 4, .side_max = UINT32_MAX},
        {"small.avif", "ispe", 8, 4, .side_max = UINT32_MAX},
        {"far.jpg", "\xff\xc0", 5, 2, .height_first = true, .side_max = 65535},
    };

    for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
        const struct header *h = &headers[i];
        const uint32_t sides[][2] = {{10001, 10000},
                                     {12000, 12000},
                                     {16383, 16383},
                                     {h->side_max, h->side_max},
                                     {h->side_max, 1 + 100000000 / h->side_max}};

        for (size_t k = 0; k < ARRAY_SIZE(sides); k++) {
            char name[64];

            snprintf(name, sizeof(name), "%ux%u-%s", sides[k][0], sides[k][1], h->input);
            put_sized(name, h, sides[k][0], sides[k][1]);
            check_refused(name, (struct image_size){40, 40, IMAGE_COVER}, ERR_VALIDATION, "width",
                          "needs an image of at most 100 megapixels", 0);
        }
    }
}

/* ---- the deadline ---- */

static void check_late(const char *input, int64_t timeout_ms)
{
    int64_t before = clock_mono_ms();

    check_refused(input, (struct image_size){3000, 3000, IMAGE_FILL}, ERR_DEADLINE, NULL, NULL,
                  timeout_ms);
    UNIT_CHECK(clock_mono_ms() - before < DEADLINE_MS, "%s: %lld ms", input,
               (long long)(clock_mono_ms() - before));
}

static void test_a_decoder_is_stopped_at_the_deadline(void)
{
    check_late("limit.png", 30); /* computes row by row */
    check_late("scans.jpg", 30); /* reads all before the first row */
}

/* ---- concurrent requests ---- */

enum { MANY = 6 };

struct crowd {
    struct loop *loop;
    struct image_pool *pool;
    struct fiber *starter;
    int left, made, refused;
    size_t waiting_max;
};

static void one_of_many(void *arg)
{
    struct crowd *crowd = arg;
    struct image_size size = {30, 30, IMAGE_COVER};
    int in = open(in_dir("held.png"), O_RDONLY | O_CLOEXEC);
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct image_turn turn;
    struct image_made made;
    struct error err;
    bool parked;

    error_init(&err, NULL);
    CU_ASSERT_EQUAL(image_enter(crowd->pool, NULL, &turn, &parked, &err), 0);
    if (image_make(crowd->pool, &turn, project, clock_mono_ms() + DEADLINE_MS, in, out, &size,
                   &made, &err) == 0)
        crowd->made++;
    else if (err.code == ERR_OVERLOADED && err.retry_after_s > 0)
        crowd->refused++;
    image_turn_leave(&turn);
    close(in);
    close(out);
    if (--crowd->left == 0)
        fiber_wake(crowd->starter);
}

static void run_crowd(struct loop *loop, struct crowd *crowd, size_t threads, size_t queue_max,
                      int64_t memory)
{
    struct error err;

    *crowd = (struct crowd){.loop = loop, .starter = fiber_self(loop), .left = MANY};
    crowd->pool = image_pool_new(loop, threads, queue_max, memory);
    error_init(&err, NULL);
    for (int i = 0; i < MANY; i++)
        CU_ASSERT(fiber_start(loop, one_of_many, crowd, &err) == 0);
    while (crowd->left > 0) {
        UNIT_REQUIRE(fiber_park(loop, clock_mono_ms() + 1) != FIBER_CANCELLED, "too slow");
        crowd->waiting_max = MAX(crowd->waiting_max, image_waiting(crowd->pool));
    }
    CU_ASSERT_EQUAL(image_waiting(crowd->pool), 0);
    CU_ASSERT_EQUAL((int)image_decodes(crowd->pool), crowd->made);
    image_pool_destroy(&crowd->pool);
}

static void crowds(struct loop *loop, void *arg UNUSED)
{
    struct crowd crowd;

    /* each request holds 9 megapixels of 8 bytes; this memory lets them run only one by one */
    run_crowd(loop, &crowd, MANY, 8, 70 << 20);
    UNIT_CHECK(crowd.made == MANY && crowd.waiting_max >= 1, "%d made, %zu waited", crowd.made,
               crowd.waiting_max);
    /* one runs, one waits, more are refused */
    run_crowd(loop, &crowd, 1, 1, MEMORY);
    UNIT_CHECK(crowd.made >= 1 && crowd.refused >= 1 && crowd.made + crowd.refused == MANY,
               "%d made, %d refused", crowd.made, crowd.refused);
}

static void test_many_at_once_share_threads_and_memory_and_queue_up_to_a_bound(void)
{
    unit_on_fiber(crowds, NULL);
}

static void write_to_full_disk(struct loop *loop, void *arg UNUSED)
{
    struct image_pool *pool = image_pool_new(loop, 1, 1, MEMORY);
    struct image_size size = {30, 30, IMAGE_COVER};
    int in = open(in_dir("dark.jpg"), O_RDONLY | O_CLOEXEC);
    int out = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct image_turn turn;
    struct image_made made;
    struct error err;
    bool parked;

    error_init(&err, NULL);
    CU_ASSERT_EQUAL(image_enter(pool, NULL, &turn, &parked, &err), 0);
    CU_ASSERT(image_make(pool, &turn, project, clock_mono_ms() + DEADLINE_MS, in, out, &size, &made,
                         &err) < 0);
    image_turn_leave(&turn);
    CU_ASSERT_EQUAL(err.code, ERR_UNAVAILABLE);
    CU_ASSERT_STRING_EQUAL(err.detail, "No space left on device");
    close(in);
    close(out);
    image_pool_destroy(&pool);
}

static void test_a_full_disk_is_no_fault_of_the_image(void)
{
    unit_on_fiber(write_to_full_disk, NULL);
}

static const struct unit_case cases[] = {
    CASE(inputs_are_made),
    CASE(test_sizes_and_pixels_are_those_of_sharp),
    CASE(test_formats_become_what_browsers_show),
    CASE(metadata_of_every_format_is_left_out),
    CASE(test_what_is_no_whole_image_or_too_large_a_one_is_refused),
    CASE(test_too_large_an_image_is_named_so_in_every_format),
    CASE(test_a_decoder_is_stopped_at_the_deadline),
    CASE(test_many_at_once_share_threads_and_memory_and_queue_up_to_a_bound),
    CASE(test_a_full_disk_is_no_fault_of_the_image),
};

int main(int argc, char **argv)
{
    int result;

    if (image_program_wanted(argc, argv)) /* this program is also docd's child */
        return image_program();
    dir = unit_dir_make();
    image_vips_prepare();
    if (!image_vips_start())
        return 1;
    result = unit_run("docd image", cases, ARRAY_SIZE(cases));
    unit_dir_remove(&dir);
    return result;
}
