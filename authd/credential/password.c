/*
 * password.c - hashing and verifying passwords off the loop.
 *
 * Each running job holds 19 MiB; the pool's threads bound how many run, its queue how many wait.
 * That memory is kept for the next job, see password_memory.h; the malloc settings below keep glibc
 * from holding on to what the pool's threads used beside it.
 */
#include "authd/credential/password.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "authd/credential/password_memory.h"
#include "common/domain/password_text.h"

struct hash_job {
    struct password_memory *memory;
    const char *password;
    char hash[crypto_pwhash_STRBYTES];
    bool failed;
};

struct verify_job {
    struct password_memory *memory;
    const char *hash, *password;
    bool right, stale, failed;
};

enum {
    NO_MEMORY_LOG_MS = 10000
}; /* between two lines of the log: a flood of sign-ins is one line */

static int64_t read_waiting(void *arg)
{
    return (int64_t)offload_waiting(((const struct authd *)arg)->passwords);
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
    fiber_sem_init(&d->password_slots, d->svc.loop, threads + (size_t)d->config->password_queue, 0);
    d->passwords = offload_new(d->svc.loop, threads, (size_t)d->config->password_queue);
    d->password_memory = password_memory_new();
    d->count.password_memory_failures =
        metrics_counter(d->svc.metrics, "atrium_auth_password_memory_failures_total", "",
                        "Passwords answered 503 because there was no memory to hash them.");
    metrics_gauge(d->svc.metrics, "atrium_auth_passwords_waiting",
                  "Passwords that wait for a thread to check them.", read_waiting, d);
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
    password_memory_destroy(&d->password_memory);
}

const char *password_dummy(struct arena *arena)
{
    uint8_t random[16 + 32];
    char salt[32], hash[64];

    randombytes_buf(random, sizeof(random));
    sodium_bin2base64(salt, sizeof(salt), random, 16, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    sodium_bin2base64(hash, sizeof(hash), random + 16, 32,
                      sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
    return arena_printf(arena, "$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", 19, PASSWORD_MEMLIMIT / 1024,
                        PASSWORD_OPSLIMIT, salt, hash);
}

/* How many places requests of that network have. The list is as long as the places are. */
static size_t places_of(const struct authd *d, const struct address_subjects *client, size_t i)
{
    size_t count = 0;

    for (const struct password_slot *each = d->password_slots_taken; each; each = each->next)
        count += each->client.count == client->count &&
                 memcmp(&each->client.items[i].address, &client->items[i].address,
                        sizeof(client->items[i].address)) == 0;
    return count;
}

static bool has_share(const struct authd *d, const struct address_subjects *client)
{
    size_t left = d->password_slots.max - d->password_slots.taken;

    for (size_t i = 0; i < client->count; i++)
        if (places_of(d, client, i) >= left * (size_t)client->items[i].factor)
            return false;
    return true;
}

int password_slot_acquire(struct authd *d, const struct request *req, struct password_slot *slot,
                          struct error *err)
{
    address_subjects_of(req->address, &slot->client);
    if (!has_share(d, &slot->client) || !fiber_sem_try(&d->password_slots, 1))
        return error_retry(err, ERR_OVERLOADED, 1, "The service is busy. Try again in a moment.");
    slot->daemon = d;
    slot->next = d->password_slots_taken;
    slot->link = &d->password_slots_taken;
    if (slot->next)
        slot->next->link = &slot->next;
    d->password_slots_taken = slot;
    return 0;
}

void password_slot_leave(struct password_slot *slot)
{
    if (!slot->daemon)
        return;
    fiber_sem_release(&slot->daemon->password_slots, 1);
    *slot->link = slot->next;
    if (slot->next)
        slot->next->link = slot->link;
    slot->daemon = NULL;
}

/* The kernel gave no memory for a hash: neither right nor wrong. The caller counts nothing. */
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
    return error_retry(err, ERR_OVERLOADED, 1, "The service is busy. Try again in a moment.");
}

static void run_hash(void *arg)
{
    CLEANUP(password_text_destroy) char *normal = NULL;
    struct hash_job *job = arg;
    const char *text;

    normal = password_text_normalize(job->password);
    text = normal ? normal : job->password;
    password_memory_acquire(job->memory);
    job->failed =
        crypto_pwhash_str(job->hash, text, strlen(text), PASSWORD_OPSLIMIT, PASSWORD_MEMLIMIT) != 0;
    password_memory_release(job->memory);
}

int password_hash(struct authd *d, const struct request *req, const char *password,
                  const char **ret, struct error *err)
{
    struct hash_job job = {.memory = d->password_memory, .password = password};

    if (offload_run(d->passwords, run_hash, &job, req->deadline_mono_ms, err) < 0)
        return -1;
    /* libsodium fails here only when it cannot map the memory */
    if (job.failed)
        return refuse_without_memory(d, err);
    *ret = arena_strdup(req->arena, job.hash);
    return 0;
}

/* Hashes made before passwords were normalised are of the bytes that were typed. Which of the two
 * is tried depends on the text alone, never on an account, and so does the time. */
static void run_verify(void *arg)
{
    CLEANUP(password_text_destroy) char *normal = NULL;
    struct verify_job *job = arg;
    bool raw, right = false;

    normal = password_text_normalize(job->password);
    password_memory_acquire(job->memory);
    if (normal)
        right = crypto_pwhash_str_verify(job->hash, normal, strlen(normal)) == 0;
    raw = crypto_pwhash_str_verify(job->hash, job->password, strlen(job->password)) == 0;
    job->failed = password_memory_failed();
    password_memory_release(job->memory);
    job->right = right || raw;
    job->stale = (normal && raw) || crypto_pwhash_str_needs_rehash(job->hash, PASSWORD_OPSLIMIT,
                                                                   PASSWORD_MEMLIMIT) != 0;
}

int password_verify(struct authd *d, const struct request *req, const char *hash,
                    const char *password, bool *ret_right, bool *ret_stale, struct error *err)
{
    struct verify_job job = {
        .memory = d->password_memory, .hash = hash ? hash : d->dummy_hash, .password = password};

    if (offload_run(d->passwords, run_verify, &job, req->deadline_mono_ms, err) < 0)
        return -1;
    if (job.failed && !job.right)
        return refuse_without_memory(d, err);
    *ret_right = job.right && hash;
    *ret_stale = job.stale;
    return 0;
}
