/*
 * authd.h - the daemon's state, its limits, and a prototype for each row of authd_routes.def.
 *
 * Where rows of several tables are locked the order is: continue_spent, invitation, membership,
 * email_undo, email_link, password_reset, account, account_address_key, email_verified,
 * mfa_pending, mfa_factor, credential, login, session, last_sign_in, change_counter.
 */
#ifndef ATRIUM_AUTHD_AUTHD_H
#define ATRIUM_AUTHD_AUTHD_H

#include "common/base/clock.h"
#include "common/bus/method.h"
#include "common/runtime/batch.h"
#include "common/runtime/fiber_sem.h"
#include "common/service/network.h"
#include "common/service/service.h"

/* Lives of what authd gives out, milliseconds of contract time. */
#define ACCESS_TOKEN_LIFE HOURS(1)
#define LOGIN_LIFE MINUTES(5)
#define SESSION_IDLE_LIFE DAYS(14)
#define SESSION_ABSOLUTE_LIFE DAYS(90)
#define BROWSER_IDLE_LIFE HOURS(12) /* of a session on our own pages */
#define BROWSER_ABSOLUTE_LIFE DAYS(7)
#define KNOWN_ADDRESS_LIFE DAYS(30)

struct authd_config {
    struct database_config db;
    const char *seal_key;         /* path */
    const char *issuer;           /* claim iss */
    const char *audience;         /* claim aud */
    int64_t refresh_retry_window; /* ms: how long a lost refresh answer can be had again */
    int64_t fresh_sign_in;        /* ms: how long a proof of identity counts as fresh */
    int64_t sessions_per_account;
    int64_t password_threads;                    /* 0: number of cores */
    int64_t password_queue;                      /* password checks waiting; beyond: 503 */
    int64_t imported_password_threads;           /* 0: half of password_threads, at least one */
    const char *free_mail_file, *throwaway_file; /* lists of domains; NULL: as built in */
    const char *common_passwords;                /* filter or list; NULL: as built in */
    const char **business_domains, **free_mail_domains;
    const char *account_app_url;  /* of the installation's own pages; NULL: it has none */
    const char **passkey_origins; /* beside that of these pages; NULL: none */
    const char **allow_networks;  /* closed networks that URLs of OAuth clients may lead to */
    const char *client_ca_file;   /* certificates that theirs must chain to; NULL: the system's */
};

struct authd {
    struct service svc; /* first: service_main() allocates and fills it */
    const struct authd_config *config;
    struct offload *passwords; /* its own pool, so that its size bounds the memory of Argon2id */
    struct password_memory *password_memory; /* of its threads, see password_memory.h */
    struct offload *imported_passwords;      /* for hashes of other systems */
    struct password_slots {
        struct fiber_sem places;
    } password_slots, imported_slots; /* of requests that may hash, see password.h */
    struct password_slot *password_slot_list;
    int64_t password_memory_failed_ms, password_memory_logged_ms; /* monotonic; 0: never */
    const char *dummy_hash; /* what unknown accounts are verified against, as a rule */
    struct password_mixture *password_mixture; /* or else: see password_mixture.h; NULL: not yet */
    struct key_ring *keyring;
    struct key_ring *issuer_keys;  /* see oauth/issuer_key.h */
    struct offload *signatures;    /* of RS256 */
    struct cache *issuer_verified; /* tokens whose signature was verified */
    const struct mail_domains *mail_domains;
    const struct password_filter *common_passwords; /* or breached ones */
    struct lease_watch *leases;
    struct admission_cache *admission_cache;
    struct cache *settings_cache;           /* see settings_cache.h */
    struct batch settings_changes;          /* likewise */
    struct cache *organizations;            /* see email_verified.h */
    struct batch refresh_states, rotations; /* see refresh_state.h, rotation.h */
    struct batch client_tokens;             /* see oauth/client_token.h */
    struct batch grant_persons;             /* see oauth/grant.h */
    struct network_rules networks;          /* that URLs of OAuth clients may lead to */
    struct client_keys *client_keys;
    struct logout_deliveries *logouts; /* NULL: without public_url */
    bool email_scanned;                /* nothing is left for email_scan_run() */
    struct authd_counters {
        uint64_t *passkey_good, *passkey_bad;
        uint64_t *sign_in_good, *sign_in_bad, *sign_in_throttled;
        uint64_t *accounts_deleted;
        uint64_t *refresh_rotated, *refresh_again, *refresh_refused, *refresh_theft;
        uint64_t *settings_kept, *settings_asked;
        uint64_t *password_memory_failures, *passwords_renewed, *imported_refused;
    } count;
};

/* check.c */
extern const struct check authd_checks[];

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

#endif
