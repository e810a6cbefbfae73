/*
 * authd.h - the daemon's state and limits, and a prototype for each row of authd_routes.def.
 *
 * Order of locks: continue_spent, invitation, membership, email_undo, email_link, password_reset,
 * account, account_address_key, email_verified, mfa_pending, mfa_factor, credential, login,
 * session, last_sign_in, change_counter.
 */
#ifndef ATRIUM_AUTHD_AUTHD_H
#define ATRIUM_AUTHD_AUTHD_H

#include "common/base/clock.h"
#include "common/bus/method.h"
#include "common/runtime/batch.h"
#include "common/runtime/fiber_sem.h"
#include "common/service/network.h"
#include "common/service/service.h"

/* Lifetimes in milliseconds of contract time. */
#define ACCESS_TOKEN_LIFE HOURS(1)
#define LOGIN_LIFE MINUTES(5)
#define SESSION_IDLE_LIFE DAYS(14)
#define SESSION_ABSOLUTE_LIFE DAYS(90)
#define BROWSER_IDLE_LIFE HOURS(12) /* sessions on hosted pages */
#define BROWSER_ABSOLUTE_LIFE DAYS(7)
#define KNOWN_ADDRESS_LIFE DAYS(30)

struct authd_config {
    struct database_config db;
    const char *seal_key;         /* path */
    const char *issuer;           /* claim iss */
    const char *audience;         /* claim aud */
    int64_t refresh_retry_window; /* ms in which a used refresh token gets the same answer */
    int64_t fresh_sign_in;        /* ms for which a proof is fresh */
    int64_t sessions_per_account;
    int64_t password_threads;                    /* 0: number of cores */
    int64_t password_queue;                      /* waiting password checks; more get a 503 */
    int64_t imported_password_threads;           /* 0: half of password_threads, at least one */
    const char *free_mail_file, *throwaway_file; /* NULL: the built-in lists */
    const char *common_passwords;                /* NULL: the built-in filter */
    const char **business_domains, **free_mail_domains;
    const char *account_app_url;  /* NULL: none */
    const char **passkey_origins; /* in addition to account_app_url's origin; NULL: none */
    const char **allow_networks;  /* private networks for OAuth clients' URLs */
    const char *dns_servers;      /* NULL: the system's name servers */
    const char *client_ca_file;   /* for OAuth clients' URLs; NULL: the system's file */
};

struct authd {
    struct service svc; /* first: allocated by service_main() */
    const struct authd_config *config;
    struct offload *passwords; /* separate, to limit Argon2id's memory */
    struct password_memory *password_memory;
    struct offload *imported_passwords; /* for other systems' hashes */
    struct password_slots {
        struct fiber_sem places;
    } password_slots, imported_slots; /* places of requests that hash passwords, see password.h */
    struct password_slot *password_slot_list;
    int64_t password_memory_failed_ms, password_memory_logged_ms; /* monotonic; 0: never */
    const char *dummy_hash; /* verified for unknown accounts while there is no mixture */
    struct password_mixture *password_mixture; /* see password_mixture.h; NULL: none yet */
    struct key_ring *keyring;
    struct key_ring *issuer_keys;  /* see session/issuer_key.h */
    struct offload *dns;           /* threads that wait for name servers */
    struct offload *signatures;    /* for RS256 */
    struct cache *issuer_verified; /* verified tokens */
    const struct mail_domains *mail_domains;
    const struct password_filter *common_passwords; /* common and breached passwords */
    struct lease_watch *leases;
    struct admission_cache *admission_cache;
    struct cache *settings_cache;
    struct batch settings_changes;
    struct cache *organizations;
    struct batch refresh_states, rotations;
    struct batch client_tokens;
    struct batch grant_persons;
    struct network_rules networks;      /* for URLs of OAuth clients and identity providers */
    struct document_cache *client_keys; /* see federation/document.h */
    struct relying_party *relying_party;
    struct logout_deliveries *logouts; /* NULL: without public_url */
    bool email_scanned;                /* email_scan_run() is done */
    struct authd_counters {
        uint64_t *passkey_good, *passkey_bad;
        uint64_t *sign_in_good, *sign_in_bad, *sign_in_throttled;
        uint64_t *accounts_deleted;
        uint64_t *refresh_rotated, *refresh_again, *refresh_refused, *refresh_theft;
        uint64_t *settings_kept, *settings_asked;
        uint64_t *password_memory_failures, *passwords_renewed, *imported_refused;
    } count;
};

extern const struct check authd_checks[];

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

#endif
