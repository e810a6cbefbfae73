/*
 * images.c - libvips' own speed on this machine, for `make bench`.
 *
 *     images make FILE             writes a JPEG of 1600x1200, much like a photograph
 *     images rate FILE SECONDS     prints how often per second all cores resize it to 300x200
 *
 * It is libvips at its best: the file is in memory, and the decoder skips what it can.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

#include "common/base/clock.h"

enum { THREADS_MAX = 64 };

static atomic_bool stop;
static atomic_int made;
static gchar *file;
static gsize file_size;

static int failed(void)
{
    fprintf(stderr, "images: %s\n", vips_error_buffer());
    return 1;
}

/* Draws soft shapes, edges, and camera noise. */
static int make(const char *path)
{
    VipsImage *parts[9] = {NULL};

    if (vips_perlin(&parts[0], 1600, 1200, "cell_size", 400, "seed", 1, NULL) != 0 ||
        vips_perlin(&parts[1], 1600, 1200, "cell_size", 120, "seed", 2, NULL) != 0 ||
        vips_worley(&parts[2], 1600, 1200, "cell_size", 200, "seed", 3, NULL) != 0 ||
        vips_gaussnoise(&parts[3], 1600, 1200, "sigma", 6.0, "mean", 0.0, "seed", 4, NULL) != 0 ||
        vips_bandjoin(parts, &parts[4], 3, NULL) != 0 ||
        vips_linear(parts[4], &parts[5], (double[]){90, 80, 0.8}, (double[]){128, 110, 40}, 3,
                    NULL) != 0 ||
        vips_add(parts[5], parts[3], &parts[6], NULL) != 0 ||
        vips_cast_uchar(parts[6], &parts[7], NULL) != 0 ||
        vips_copy(parts[7], &parts[8], "interpretation", VIPS_INTERPRETATION_sRGB, NULL) != 0 ||
        vips_jpegsave(parts[8], path, "Q", 85, NULL) != 0)
        return failed();
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        g_object_unref(parts[i]);
    return 0;
}

static void *loop(void *arg)
{
    while (!atomic_load(&stop)) {
        VipsImage *image = NULL;
        void *bytes = NULL;
        size_t size = 0;

        /* encoded with docd's options */
        if (vips_thumbnail_buffer(file, file_size, &image, 300, "height", 200, "crop",
                                  VIPS_INTERESTING_CENTRE, NULL) != 0 ||
            vips_jpegsave_buffer(image, &bytes, &size, "Q", 80, "optimize_coding", TRUE, "strip",
                                 TRUE, NULL) != 0)
            exit(failed());
        g_free(bytes);
        g_object_unref(image);
        atomic_fetch_add(&made, 1);
    }
    vips_thread_shutdown();
    return arg;
}

static int rate(const char *path, unsigned seconds)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[THREADS_MAX];
    int64_t start = clock_mono_us();

    if (!g_file_get_contents(path, &file, &file_size, NULL))
        return 1;
    for (long i = 0; i < cores && i < THREADS_MAX; i++)
        pthread_create(&threads[i], NULL, loop, NULL);
    sleep(seconds);
    atomic_store(&stop, true);
    for (long i = 0; i < cores && i < THREADS_MAX; i++)
        pthread_join(threads[i], NULL);
    printf("%.1f\n", atomic_load(&made) * 1e6 / (double)(clock_mono_us() - start));
    g_free(file);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3 || vips_init(argv[0]) != 0)
        return 2;
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    if (strcmp(argv[1], "make") == 0)
        return make(argv[2]);
    return rate(argv[2], argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 5);
}
