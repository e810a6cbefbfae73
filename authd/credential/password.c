/*
 * password.c - see password.h.
 *
 * password_memory.h keeps the 19 MiB of a hash. The malloc settings below keep glibc from holding
 * on to more. Imported hashes take up to 2 s and 256 MiB, so they have threads of lower priority
 * and places counted in milliseconds. Ordinary sign-ins don't wait for them.
 */
#include "authd/credential/password.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "authd/credential/password_memory.h"
#include "common/domain/password_scheme.h"
#include "common/domain/password_text.h"
#include "common/wire/codec.h"

struct hash_job {
    struct password_memory *memory;
    const char *password;
    char hash[crypto_pwhash_STRBYTES];
    bool failed;
};

/* `imported`: NULL for an own hash. `renewed`: "" if no new hash is needed, or if there was no
 * memory to make it. */
struct verify_job {
    struct password_memory *memory;
    const char *hash, *password;
    const struct password_scheme *imported;
    bool renew;
    bool right, failed;
    char renewed[crypto_pwhash_STRBYTES];
};

enum {
    NO_MEMORY_LOG_MS = 10000, /* at most one log line, even in a flood */
    OWN_COST_MS = 30,         /* estimate, like those of password_scheme.h */
    IMPORTED_WAIT_MS = 5000,  /* work queued per thread */
    IMPORTED_START_MS = 2000, /* before the deadline; work begun later would end too late */
    IMPORTED_NICE = 15,
    IMPORTED_QUEUE = 4096, /* jobs, limited by the places */
};

static int busy(struct error *err, int64_t retry_after_s)
{
    return error_retry(err, ERR_OVERLOADED, retry_after_s,
                       "The service is busy. Try again in a moment.");
}

static int64_t read_waiting(void *arg)
{
    return (int64_t)offload_waiting(((const struct authd *)arg)->passwords);
}

static int64_t read_imported_waiting(void *arg)
{
    return (int64_t)offload_waiting(((const struct authd *)arg)->imported_passwords);
}

/* Opens the threads and places for imported hashes. */
static void open_imported(struct authd *d, size_t threads)
{
    size_t own = (size_t)d->config->imported_password_threads;

    if (own == 0)
        own = MAX(threads / 2, (size_t)1);
    fiber_sem_init(&d->imported_slots.places, d->svc.loop, own * IMPORTED_WAIT_MS, 0);
    d->imported_passwords = offload_new(d->svc.loop, own, IMPORTED_QUEUE);
    offload_set_nice(d->imported_passwords, IMPORTED_NICE);
    d->count.imported_refused =
        metrics_counter(d->svc.metrics, "atrium_auth_imported_passwords_refused_total", "",
                        "Password checks that returned 503 because too many hashes of other "
                        "systems were being verified.");
    d->count.passwords_renewed =
        metrics_counter(d->svc.metrics, "atrium_auth_passwords_renewed_total", "",
                        "Hashes replaced at a sign-in by a hash with the current parameters.");
    metrics_gauge(d->svc.metrics, "atrium_auth_imported_passwords_waiting",
                  "Password checks that wait to verify a hash of another system.",
                  read_imported_waiting, d);
}

void password_open(struct authd *d)
{
    size_t threads = (size_t)d->config->password_threads;

    if (threads == 0)
        threads = (size_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    mallopt(M_TRIM_THRESHOLD, 256 * 1024);
    d->dummy_hash = password_dummy(d->svc.arena);
    fiber_sem_init(&d->password_slots.places, d->svc.loop,
                   threads + (size_t)d->config->password_queue, 0);
    d->passwords = offload_new(d->svc.loop, threads, (size_t)d->config->password_queue);
    d->password_memory = password_memory_new();
    d->count.password_memory_failures =
        metrics_counter(d->svc.metrics, "atrium_auth_password_memory_failures_total", "",
                        "Password checks that returned 503 because there was no memory to hash.");
    metrics_gauge(d->svc.metrics, "atrium_auth_passwords_waiting",
                  "Password checks that wait for a thread.", read_waiting, d);
    open_imported(d, threads);
}

int password_trim(void *daemon, const struct request *req UNUSED, struct error *err UNUSED)
{
    struct authd *d = daemon;

    password_memory_trim(d->password_memory);
    return 0;
}

void password_close(struct authd *d)
{
    offload_destroy(&d->passwords);
    offload_destroy(&d->imported_passwords);
    password_memory_destroy(&d->password_memory);
}

const char *password_dummy(struct arena *arena)
{
    uint8_t random[16 + 32];
    char salt[32], hash[64];

    randombytes_buf(random, sizeof(random));
    memset(random, 0, 8); /* for the part local_admin */
    sodium_bin2base64(salt, sizeof(salt), random, 16, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    sodium_bin2base64(hash, sizeof(hash), random + 16, 32,
                      sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    return arena_printf(arena, "$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", 19, PASSWORD_MEMLIMIT / 1024,
                        PASSWORD_OPSLIMIT, salt, hash);
}

/* Counts the places that are held by requests from the client's i-th network. */
static size_t places_of(const struct authd *d, const struct password_slots *slots,
                        const struct address_subjects *client, size_t i)
{
    size_t count = 0;

    for (const struct password_slot *each = d->password_slot_list; each; each = each->next) {
        if (each->slots == slots && each->client.count == client->count &&
            memcmp(&each->client.items[i].address, &client->items[i].address,
                   sizeof(client->items[i].address)) == 0)
            count += each->places;
    }
    return count;
}

static bool has_share(const struct authd *d, const struct password_slots *slots,
                      const struct address_subjects *client)
{
    size_t left = slots->places.max - slots->places.taken;

    for (size_t i = 0; i < client->count; i++)
        if (places_of(d, slots, client, i) >= left * (size_t)client->items[i].factor)
            return false;
    return true;
}

static void slot_release(struct password_slot *slot)
{
    if (slot->slots)
        fiber_sem_release(&slot->slots->places, slot->places);
    slot->slots = NULL;
}

/* Exchanges the slot's places. On failure (ERR_OVERLOADED) the slot keeps them. */
static int slot_move(struct password_slot *slot, struct password_slots *slots, size_t places,
                     int64_t retry_after_s, struct error *err)
{
    places = MIN(places, slots->places.max);
    if (!has_share(slot->daemon, slots, &slot->client) || !fiber_sem_try(&slots->places, places))
        return busy(err, retry_after_s);
    slot_release(slot);
    slot->slots = slots;
    slot->places = places;
    return 0;
}

int password_slot_acquire(struct authd *d, const struct request *req, struct password_slot *slot,
                          struct error *err)
{
    slot->daemon = d;
    slot->request = req;
    slot->slots = NULL;
    address_subjects_of(req->address, &slot->client);
    if (slot_move(slot, &d->password_slots, 1, 1, err) < 0) {
        slot->daemon = NULL;
        return -1;
    }
    slot->next = d->password_slot_list;
    slot->link = &d->password_slot_list;
    if (slot->next)
        slot->next->link = &slot->next;
    d->password_slot_list = slot;
    return 0;
}

void password_slot_leave(struct password_slot *slot)
{
    if (!slot->daemon)
        return;
    slot_release(slot);
    *slot->link = slot->next;
    if (slot->next)
        slot->next->link = slot->link;
    slot->daemon = NULL;
}

static struct password_slot *slot_of(const struct authd *d, const struct request *req)
{
    struct password_slot *slot = d->password_slot_list;

    while (slot && slot->request != req)
        slot = slot->next;
    return slot;
}

/* Moves a request back from imported_slots to an ordinary place. */
static int slot_return(struct authd *d, const struct request *req, struct error *err)
{
    struct password_slot *slot = slot_of(d, req);

    return !slot || slot->slots == &d->password_slots
               ? 0
               : slot_move(slot, &d->password_slots, 1, 1, err);
}

/* Takes a place per millisecond. Retry-After: when the queued work is done. */
static int slot_move_imported(struct authd *d, struct password_slot *slot, int64_t cost_ms,
                              struct error *err)
{
    int64_t threads_s = (int64_t)d->imported_slots.places.max / IMPORTED_WAIT_MS * 1000;
    int64_t after_s = 1 + (int64_t)d->imported_slots.places.taken / threads_s;

    if (slot_move(slot, &d->imported_slots, (size_t)cost_ms, after_s, err) == 0)
        return 0;
    ++*d->count.imported_refused;
    return -1;
}

/* If there is no memory, the password is neither right nor wrong, so the caller counts no
 * failure. */
static int refuse_without_memory(struct authd *d, struct error *err)
{
    int64_t now_ms = clock_mono_ms();
    char total[24];

    ++*d->count.password_memory_failures;
    if (d->password_memory_logged_ms == 0 ||
        now_ms - d->password_memory_logged_ms >= NO_MEMORY_LOG_MS) {
        snprintf(total, sizeof(total), "%" PRIu64, *d->count.password_memory_failures);
        log_event(LOG_ERR, "password", "no memory to hash a password", "total", total, NULL);
        d->password_memory_logged_ms = now_ms;
    }
    d->password_memory_failed_ms = now_ms;
    return busy(err, 1);
}

/* Expects normalized text and password_memory_acquire(). Returns -1 if there is no memory. */
static int hash_text(const char *text, char ret[static crypto_pwhash_STRBYTES])
{
    return crypto_pwhash_str(ret, text, strlen(text), PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT);
}

static void run_hash(void *arg)
{
    CLEANUP(password_text_destroy) char *normal = NULL;
    struct hash_job *job = arg;

    normal = password_text_normalize(job->password);
    password_memory_acquire(job->memory);
    job->failed = hash_text(normal ? normal : job->password, job->hash) != 0;
    password_memory_release(job->memory);
}

int password_hash(struct authd *d, const struct request *req, const char *password,
                  const char **ret, struct error *err)
{
    struct hash_job job = {.memory = d->password_memory, .password = password};

    if (slot_return(d, req, err) < 0 ||
        offload_run(d->passwords, run_hash, &job, req->deadline_mono_ms, err) < 0)
        return -1;
    /* libsodium's only failure here is lack of memory */
    if (job.failed)
        return refuse_without_memory(d, err);
    *ret = arena_strdup(req->arena, job.hash);
    return 0;
}

/* Sets `failed` if memory was too short to compare. */
static bool verify_text(struct verify_job *job, const char *text)
{
    int right;

    if (!job->imported)
        return crypto_pwhash_str_verify(job->hash, text, strlen(text)) == 0;
    right = password_scheme_verify(job->imported, text);
    job->failed = job->failed || right < 0;
    return right > 0;
}

/* Imported and old hashes are of the typed bytes, not of normalized text. Which texts are tried
 * depends on the password alone, so the time reveals nothing about the account. The job also
 * replaces a stale hash, which needs no second place. */
static void run_verify(void *arg)
{
    CLEANUP(password_text_destroy) char *normal = NULL;
    struct verify_job *job = arg;
    bool raw, stale;

    normal = password_text_normalize(job->password);
    password_memory_acquire(job->memory);
    if (normal)
        job->right = verify_text(job, normal);
    raw = verify_text(job, job->password);
    job->failed = job->failed || password_memory_failed();
    job->right = job->right || raw;
    stale = job->imported || (normal && raw) ||
            crypto_pwhash_str_needs_rehash(job->hash, PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT) != 0;
    if (job->right && stale && job->renew &&
        hash_text(normal ? normal : job->password, job->renewed) != 0)
        job->renewed[0] = '\0';
    password_memory_release(job->memory);
}

/* Jobs can take longer than estimated. One that can't start in time is refused. */
static int verify_imported(struct authd *d, const struct request *req, struct verify_job *job,
                           struct error *err)
{
    struct password_slot *slot = slot_of(d, req);
    int64_t tries = codec_is_ascii(job->password) ? 1 : 2;
    int result;

    if (slot && slot_move_imported(d, slot, job->imported->cost_ms * tries + OWN_COST_MS, err) < 0)
        return -1;
    result = offload_run(d->imported_passwords, run_verify, job,
                         req->deadline_mono_ms - IMPORTED_START_MS, err);
    if (result < 0 && err->code == ERR_DEADLINE)
        result = busy(err, IMPORTED_WAIT_MS / 1000);
    if (slot)
        slot_release(slot);
    return result;
}

static bool is_own(const char *hash)
{
    return strncmp(hash, PASSWORD_HASH_PREFIX, strlen(PASSWORD_HASH_PREFIX)) == 0;
}

int password_verify(struct authd *d, const struct request *req, const char *hash,
                    const char *password, bool *ret_right, const char **ret_renewed,
                    struct error *err)
{
    struct verify_job job = {.memory = d->password_memory,
                             .hash = hash ? hash : d->dummy_hash,
                             .password = password,
                             .renew = ret_renewed && hash};
    struct password_scheme scheme;
    const char *why = NULL;
    int result;

    if (!is_own(job.hash)) {
        if (password_scheme_parse(job.hash, &scheme, &why) == 0) {
            job.imported = &scheme;
        } else {
            log_event(LOG_ERR, "password", "a hash in the database cannot be verified", "why", why,
                      NULL);
            /* libsodium would obey any parameters, even for hours of work and 4 GiB */
            hash = NULL;
            job.hash = d->dummy_hash;
            job.renew = false;
        }
    }
    if (job.imported)
        result = verify_imported(d, req, &job, err);
    else if (slot_return(d, req, err) < 0)
        result = -1;
    else
        result = offload_run(d->passwords, run_verify, &job, req->deadline_mono_ms, err);
    if (result < 0)
        return -1;
    if (job.failed && !job.right)
        return refuse_without_memory(d, err);
    *ret_right = job.right && hash;
    if (ret_renewed)
        *ret_renewed =
            *ret_right && job.renewed[0] != '\0' ? arena_strdup(req->arena, job.renewed) : NULL;
    return 0;
}
