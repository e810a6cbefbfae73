/*
 * password_mixture.c - see password_mixture.h.
 *
 * An owner's schemes (a project's, or all practitioners') are in alphabetical order, own hashes
 * last. As sign-ins replace hashes, the dummy of an unknown address can only change to an own hash,
 * as a real account's hash does.
 */
#include "authd/credential/password_mixture.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "authd/credential/password.h"
#include "authd/sql/credential.h"
#include "authd/sql/import.h"
#include "common/base/clock.h"
#include "common/domain/password_scheme.h"

#define PURPOSE "password mixture"

#define COUNTING_MAX MINUTES(2) /* for all imported accounts */

enum { SCHEMES_MAX = 16 }; /* per owner; see password_mixture.sql */

struct scheme {
    const char *dummy;
    int64_t accounts;
};

struct owner {
    bool practitioners;
    struct uuid project; /* not set for practitioners */
    int64_t accounts;    /* accounts with any hash */
    struct scheme *schemes;
    size_t count;
};

struct password_mixture {
    struct arena *arena;
    struct owner *owners; /* ordered: patients first, by project */
    size_t count;
    int64_t imported;   /* total of accounts */
    int64_t changed;    /* number of imports at the time of the count */
    int64_t counted_ms; /* monotonic */
    int64_t took_ms;
};

static int64_t read_imported(void *arg)
{
    const struct authd *d = arg;

    return d->password_mixture ? d->password_mixture->imported : 0;
}

static void mixture_destroy(struct password_mixture **self_p)
{
    struct arena *arena = *self_p ? (*self_p)->arena : NULL;

    arena_destroy(&arena);
    *self_p = NULL;
}

void password_mixture_open(struct authd *d)
{
    metrics_gauge(d->svc.metrics, "atrium_auth_imported_passwords",
                  "Accounts whose password hash has another system's format or older parameters.",
                  read_imported, d);
}

void password_mixture_close(struct authd *d)
{
    mixture_destroy(&d->password_mixture);
}

/* Replaces the hash's characters by random letters and digits, which are in all alphabets of base64
 * and crypt(3). The last character stays, because it may not have all values. */
void password_mixture_scramble(char *hash)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char *last = strrchr(hash, '$');
    size_t size;

    if (!last)
        return;
    last++;
    size = strcspn(last, "=");
    for (size_t i = 0; i + 1 < size; i++)
        last[i] = letters[randombytes_uniform(sizeof(letters) - 1)];
}

static int compare_owners(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;

    return x->practitioners != y->practitioners ? x->practitioners - y->practitioners
                                                : strcmp(x->project.text, y->project.text);
}

/* Adds a scheme to its owner. The rows of an owner are consecutive. */
static void add_row(struct password_mixture *self, const struct sql_password_mixture_row *row)
{
    struct owner next = {.practitioners = row->role == ROLE_PRACTITIONER,
                         .project = row->project,
                         .accounts = row->accounts};
    struct owner *owner = self->count > 0 ? &self->owners[self->count - 1] : NULL;
    struct password_scheme scheme;
    const char *why;
    char *dummy;

    if (password_scheme_parse(row->hash, &scheme, &why) < 0)
        return;
    if (!owner || compare_owners(owner, &next) != 0) {
        owner = &self->owners[self->count++];
        *owner = next;
        owner->schemes = arena_calloc(self->arena, SCHEMES_MAX, sizeof(struct scheme));
    }
    dummy = arena_strdup(self->arena, row->hash);
    password_mixture_scramble(dummy);
    owner->schemes[owner->count++] = (struct scheme){dummy, row->count};
}

bool password_mixture_is_due(int64_t age_ms, int64_t took_ms, bool changed)
{
    return age_ms >= PASSWORD_MIXTURE_PERIOD ||
           (changed && age_ms >= PASSWORD_MIXTURE_PAUSE * took_ms);
}

static bool is_fresh(const struct password_mixture *self, int64_t changed)
{
    return self && !password_mixture_is_due(clock_mono_ms() - self->counted_ms, self->took_ms,
                                            self->changed != changed);
}

int password_mixture_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    CLEANUP(service_request_destroy) struct request *counting = NULL;
    struct arena *arena;
    struct password_mixture *fresh;
    struct sql_password_count_imported_row total;
    struct sql_password_mixture_rows rows = {0};
    struct sql_import_state_get_row state;
    int64_t begun_ms = clock_mono_ms();

    if (sql_import_state_get(d->svc.db, req, &state, err) < 0)
        return -1;
    if (is_fresh(d->password_mixture, state.changed))
        return 0;
    counting = service_request_new(&d->svc, COUNTING_MAX);
    if (sql_password_count_imported(d->svc.db, counting, &total, err) < 0 ||
        (total.count > 0 && sql_password_mixture(d->svc.db, counting, &rows, err) < 0))
        return -1;
    arena = arena_new();
    fresh = arena_calloc(arena, 1, sizeof(*fresh));
    *fresh = (struct password_mixture){.arena = arena,
                                       .owners = arena_calloc(arena, MAX(rows.count, (size_t)1),
                                                              sizeof(*fresh->owners)),
                                       .imported = total.count,
                                       .changed = state.changed,
                                       .counted_ms = clock_mono_ms(),
                                       .took_ms = clock_mono_ms() - begun_ms};
    for (size_t i = 0; i < rows.count; i++)
        add_row(fresh, &rows.items[i]);
    mixture_destroy(&d->password_mixture);
    d->password_mixture = fresh;
    return 0;
}

/* Returns a number below `accounts`. It is constant per address, and grows with `accounts`. */
static int64_t draw(const struct authd *d, const struct owner *owner, const char *email)
{
    const struct seal_keys *keys = &d->svc.seal;
    crypto_generichash_state state;
    uint8_t key[SEAL_KEY_SIZE], bytes[crypto_generichash_BYTES_MIN];
    uint64_t number = 0;

    /* the oldest key, so that a key rotation changes no draw */
    secret_derive(&keys->items[keys->oldest].secret, PURPOSE, key);
    crypto_generichash_init(&state, key, sizeof(key), sizeof(bytes));
    crypto_generichash_update(&state, (const uint8_t *)owner->project.text,
                              sizeof(owner->project.text));
    crypto_generichash_update(&state, (const uint8_t *)email, strlen(email));
    crypto_generichash_final(&state, bytes, sizeof(bytes));
    sodium_memzero(key, sizeof(key));
    for (size_t i = 0; i < 4; i++)
        number = number << 8 | bytes[i];
    return (int64_t)(number * (uint64_t)MIN(owner->accounts, (int64_t)INT32_MAX) >> 32);
}

const char *password_mixture_dummy(const struct authd *d, const struct request *req, enum role role,
                                   struct uuid project, const char *email)
{
    const struct password_mixture *mixture = d->password_mixture;
    struct owner wanted = {.practitioners = role == ROLE_PRACTITIONER};
    const struct owner *owner;
    int64_t number;

    if (!mixture || mixture->count == 0)
        return NULL;
    if (!wanted.practitioners)
        wanted.project = project;
    owner = bsearch(&wanted, mixture->owners, mixture->count, sizeof(wanted), compare_owners);
    if (!owner)
        return NULL;
    number = draw(d, owner, email);
    for (size_t i = 0; i < owner->count; i++) {
        if (number < owner->schemes[i].accounts)
            return arena_strdup(req->arena, owner->schemes[i].dummy);
        number -= owner->schemes[i].accounts;
    }
    return NULL;
}
