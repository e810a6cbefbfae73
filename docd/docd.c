/* docd.c - the program atrium-docd: its tables, start and stop. */
#include "docd/docd.h"
#include "docd/docd_api.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/domain/request.h"
#include "common/service/audit_events.h"
#include "docd/document/content_words.h"
#include "docd/document/document_file.h"
#include "docd/document/list_cache.h"
#include "docd/document/sniff.h"
#include "docd/export/export.h"
#include "docd/image/image_process.h"
#include "docd/sql/seal.h"
#include "docd/sql_part.h"
#include "docd/tenant.h"

enum { SWEEP_PERIOD_MS = 60000, VARIANTS_PERIOD_MS = 15000, CONTENT_PERIOD_MS = 10000 };

static const int64_t S3_POST_MAX = 5LL << 30; /* bytes of one form: S3's limit */

extern const struct db_migration docd_migrations[];

static const struct config_row config_rows[] = {
    DATABASE_CONFIG_ROWS(struct docd_config, "host=/run/postgresql dbname=atrium user=atrium-docd"),
    CONFIG_PATH(struct docd_config, seal_key, "/etc/atrium/docd.key", CONFIG_SECRET,
                "File with 64 hexadecimal digits that only its owner can read: the key that "
                "encrypts public tokens and signs upload forms."),
    CONFIG_PATH(struct docd_config, storage_dir, "/var/lib/atrium/storage", 0,
                "Directory for the files; shared by all instances."),
    CONFIG_TEXT(struct docd_config, bucket, "documents", 0,
                "Name of the store in upload forms and their URL."),
    CONFIG_SIZE_RELOAD(struct docd_config, max_upload, "100M", 1, 1LL << 40,
                       "Size of the largest file."),
    CONFIG_SIZE(struct docd_config, image_bytes, "100M", 1, 1LL << 40,
                "Size of the largest file that docd resizes."),
    CONFIG_INT(struct docd_config, image_threads, "0", 0, 256,
               "Images that are decoded at the same time; 0: one more than cores."),
    CONFIG_INT(struct docd_config, image_queue, "64", 1, 4096,
               "Images that can wait to be decoded; further requests get 503."),
    CONFIG_SIZE(struct docd_config, image_memory, "1G", 64 << 20, 1LL << 40,
                "Memory that large images share while they are resized."),
    CONFIG_SIZE(struct docd_config, variant_cache, "1G", 1 << 20, 1LL << 50,
                "Disk space for resized images; docd removes the least recently used."),
    CONFIG_TEXT(struct docd_config, public_url, NULL, 0,
                "URL at which clients reach the gateway, \"https://api.example.org\"; default: the "
                "URL that the client used, as a trusted proxy reports it."),
    CONFIG_INT_RELOAD(struct docd_config, public_max_age, "0", 0, 31536000,
                      "Seconds for which a shared cache can serve a public document without "
                      "asking; 0: shared caches store nothing."),
    CONFIG_CHOICE(struct docd_config, store, "local", "local s3",
                  "Where the bytes are: local (storage_dir) or s3 (an S3 bucket)."),
    CONFIG_TEXT(
        struct docd_config, s3_url, NULL, 0,
        "URL of the S3 server, \"https://s3.example.org\", which docd and clients must reach."),
    CONFIG_TEXT(struct docd_config, s3_region, "us-east-1", 0, "Region of the bucket."),
    CONFIG_TEXT(struct docd_config, s3_bucket, NULL, 0,
                "Existing bucket that no other program uses."),
    CONFIG_CHOICE(struct docd_config, s3_style, "path", "path host",
                  "Where URLs have the bucket's name: in the path, or in the host name."),
    CONFIG_TEXT(struct docd_config, s3_key, NULL, 0, "Access key."),
    CONFIG_PATH(struct docd_config, s3_secret_file, NULL, CONFIG_SECRET,
                "File that only its owner can read, whose first line is the secret key."),
    CONFIG_SIZE(struct docd_config, s3_part_size, "1G", 5 << 20, 5LL << 30,
                "Size of the parts in which larger files are copied within the bucket."),
    CONFIG_BOOL(struct docd_config, pass_files, "true",
                "Whether files are passed to gateways on this host as open file descriptors, which "
                "saves copying."),
};

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_TABLE
#include "common/bus/operations.def"

static const char *const upstreams[] = {"settingsd", "authd", NULL};

static struct variants *variants_open(struct docd *d, struct error *err)
{
    const struct docd_config *config = d->config;
    struct variants_options options = {
        .dir = arena_printf(d->svc.arena, "%s/variants", config->storage_dir),
        .bytes_max = config->variant_cache,
        .image_threads = (size_t)config->image_threads,
        .image_queue = (size_t)config->image_queue,
        .image_memory = config->image_memory,
        .image_bytes = config->image_bytes,
    };

    return variants_new(d->svc.loop, d->svc.metrics, d->svc.offload, d->store, &options, err);
}

/* Frees a library's clean pages, which the kernel can read again. */
static int forget_pages(struct dl_phdr_info *info, size_t size UNUSED, void *arg UNUSED)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = (info->dlpi_addr + part->p_vaddr) & ~(page - 1);
        uintptr_t to = (info->dlpi_addr + part->p_vaddr + part->p_memsz) & ~(page - 1);

        if (part->p_type == PT_LOAD && !(part->p_flags & PF_W) && to > from)
            (void)madvise((void *)from, to - from, MADV_DONTNEED);
    }
    return 0;
}

static bool uses_s3(const struct docd_config *config)
{
    return strcmp(config->store, "s3") == 0;
}

static struct s3_options s3_options(const struct docd *d, const struct docd_config *config)
{
    return (struct s3_options){.url = config->s3_url,
                               .bucket = config->s3_bucket,
                               .host_style = strcmp(config->s3_style, "host") == 0,
                               .signer = {.access_key = config->s3_key,
                                          .secret_key = (const char *)d->s3_secret.bytes,
                                          .region = config->s3_region}};
}

static int configured(void *daemon, struct error *err)
{
    struct docd *d = daemon;
    const struct docd_config *config = d->svc.config;
    struct s3_options s3 = s3_options(d, config);

    if (!uses_s3(config))
        return 0;
    if (!config->s3_secret_file)
        return error_set(err, ERR_INTERNAL, "s3_secret_file is missing");
    if (config->max_upload > S3_POST_MAX)
        return error_set(err, ERR_INTERNAL, "max_upload: S3 takes 5G at most by a form");
    return secret_load_text(config->s3_secret_file, &d->s3_secret, err) < 0 ? -1
                                                                            : s3_check(&s3, err);
}

/* Opens the store. If it is S3, the storage directory has only variants and temporary files. */
static struct store *store_open(struct docd *d, struct error *err)
{
    const struct docd_config *config = d->config;
    struct store_local_options local = {.dir = config->storage_dir,
                                        .bucket = config->bucket,
                                        .public_url = config->public_url,
                                        .seal = &d->svc.seal};
    struct store_s3_options s3 = {.s3 = s3_options(d, config),
                                  .part_size = config->s3_part_size,
                                  .dir = config->storage_dir,
                                  .pool = d->svc.offload};

    direct_uploads_make_metrics(d->svc.metrics);
    if (!uses_s3(config))
        return store_local_new(d->svc.loop, &local, err);
    if (mkdir(config->storage_dir, 0700) < 0 && errno != EEXIST) {
        (void)error_set(err, ERR_INTERNAL, "%s: %s", config->storage_dir, strerror(errno));
        return NULL;
    }
    d->direct_uploads = direct_uploads_new(d);
    return store_s3_new(d->svc.loop, &s3);
}

static void open_sender(struct docd *d)
{
    struct error err;

    error_init(&err, d->svc.arena);
    if (!d->config->pass_files || uses_s3(d->config))
        return;
    d->files = file_sender_new(d->svc.loop, d->svc.bus, &err);
    if (!d->files)
        log_event(LOG_WARNING, "files", "files cannot be passed to gateways", "reason", err.message,
                  NULL);
}

static int start(void *daemon, struct error *err)
{
    struct docd *d = daemon;

    content_tune_malloc();
    d->policies = policy_scopes_new();
    d->lists = list_cache_new(LIST_CACHE_BYTES);
    batch_init(&d->document_files, &document_file_batch, d->svc.loop, d);
    d->config = d->svc.config;
    d->store = store_open(d, err);
    d->sniffer = d->store ? sniffer_new(d->svc.loop, d->svc.offload, err) : NULL;
    open_sender(d);
    d->variants = d->sniffer ? variants_open(d, err) : NULL;
    if (!d->variants)
        return -1;
    d->svc.sandbox = variants_means(d->variants) ? variants_means(d->variants) : "none";
    d->bytes_missing = metrics_counter(d->svc.metrics, "atrium_doc_bytes_missing_total", "",
                                       "Reads of documents whose bytes the store does not have.");
    service_every(&d->svc, "sweep", SWEEP_PERIOD_MS, sweep);
    service_every(&d->svc, "variants", VARIANTS_PERIOD_MS, sweep_variants);
    service_every(&d->svc, "content", CONTENT_PERIOD_MS, content_fold);
    service_every(&d->svc, "export", EXPORT_PERIOD_MS, export_run);
    disk_space_start(d);
    /* The loader touches 20 MiB of libvips, which docd needs only for an image. */
    dl_iterate_phdr(forget_pages, NULL);
    return 0;
}

static void drain(void *daemon)
{
    struct docd *d = daemon;

    if (d->direct_uploads)
        direct_uploads_drain(d->direct_uploads);
}

static void stop(void *daemon)
{
    struct docd *d = daemon;

    file_sender_destroy(&d->files);
    direct_uploads_destroy(&d->direct_uploads);
    variants_destroy(&d->variants);
    sniffer_destroy(&d->sniffer);
    store_destroy(&d->store);
    policy_scopes_destroy(&d->policies);
    list_cache_destroy(&d->lists);
    secret_wipe(&d->s3_secret);
}

static const struct seal_table seal_tables[] = {
    {"document", DOCUMENT_TOKEN_PURPOSE, SEAL_TABLE(document), NULL},
    {"export", EXPORT_KEY_PURPOSE, SEAL_TABLE(export), NULL},
    {.name = NULL},
};

int audit_events(struct docd *d, const struct request *req, const struct audit_events_in *in,
                 struct audit_events_out *out, struct error *err)
{
    return audit_events_read(&d->svc, req, in, out, err);
}

static const struct service_definition definition = {
    .name = "docd",
    .summary = "Documents, their bytes, and mapped content of the Atrium suite.",
    .size = sizeof(struct docd),
    .config = config_rows,
    .config_count = ARRAY_SIZE(config_rows),
    .config_size = sizeof(struct docd_config),
    .database_offset = offsetof(struct docd_config, db),
    .schema = "doc",
    .sql = docd_sql,
    .migrations = docd_migrations,
    .audit = true,
    .operations = operations,
    .checks = docd_checks,
    .upstreams = upstreams,
    .seal_key_offset = offsetof(struct docd_config, seal_key),
    .seal_tables = seal_tables,
    .purge = docd_purge,
    .erasure = true,
    .tenant = docd_tenant_tables,
    .configured = configured,
    .start = start,
    .drain = drain,
    .stop = stop,
};

int main(int argc, char **argv)
{
    if (image_program_wanted(argc, argv))
        return image_program();
    return service_main(argc, argv, &definition);
}
