/* request.h - a handler's view of its call, and rows of operation tables. */
#ifndef ATRIUM_COMMON_DOMAIN_REQUEST_H
#define ATRIUM_COMMON_DOMAIN_REQUEST_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"
#include "common/base/uuid.h"
#include "common/domain/role.h"
#include "common/wire/fields.h"

/* The caller, whom the gateway resolves from the bearer token. No other service is trusted about
 * it. */
struct caller {
    struct uuid account;
    struct uuid membership;
    struct uuid project;
    struct uuid session;
    struct uuid profile;
    struct uuid tokenId;    /* access token's jti */
    enum role role;         /* profile's type; ROLE_DEVICE for an API key */
    const char *display;    /* profile's name */
    const char *addressKey; /* encrypts the account's network addresses; NULL: no key yet */
    bool admin;             /* administers the project */
    const char *projectName;
    const char *brandName; /* the project's name on pages and in emails; NULL: projectName */
    struct uuid policy;    /* can be "" */
    const char *policyName;
    const char *policyResource; /* access policy's rules, a JSON array */
    int64_t until;              /* contract time in ms when the account ends; 0: never */
    bool secondFactor;          /* a second factor was proven or enrolled in this session */
    int64_t documentsMax;       /* per account; 0: no limit */
    int64_t bytesMax;           /* per account; 0: no limit */
    int64_t projectBytesMax;    /* per project; 0: no limit */
};
FIELD_DECLARE(caller);

/* The key that encrypts an account's network addresses (common/service/audit_address.h). */
struct address_key {
    struct uuid account;
    const char *key;
    const struct address_key *next;
};

enum reach {
    REACH_PUBLIC = 1, /* no session: a password, link or key decides */
    REACH_SESSION,    /* only the session */
    REACH_PROJECT,    /* the session's project, and what the person has in it */
    /* the person's sign-in everywhere: requires a session of a project that owns the account, or a
     * page of the account's own */
    REACH_ACCOUNT,
};

struct ownership;
struct operation;

struct request {
    struct arena *arena;         /* freed after the answer */
    const struct caller *caller; /* NULL on public routes, and between daemons without a user */
    const char
        *service; /* calling service, identified by socket or key: "gateway", "authd", "ctl" ... */
    const char *trace;     /* request id for logs */
    const char *address;   /* IP address of the client, or "" */
    const char *userAgent; /* User-Agent of the client, or ""; at most 512 bytes */
    int64_t now_ms;        /* contract time of arrival */
    int64_t deadline_mono_ms;
    bool safe;
    /* R_PROJECT: atriumctl names a project by `tenant` (code or id) or, with NULL, by `project`,
     * which is not looked up. A daemon reads `project`. */
    const char *tenant;
    struct uuid project;
    /* keys of the accounts that a request without caller concerns; NULL: not collected */
    const struct address_key **addressKeys;
    /* Never on the wire: */
    bool of_page; /* a hosted page acts for its visitor */
    const struct operation *row;
    /* REACH_ACCOUNT: see authd/account/ownership.h */
    const struct ownership *ownership;
};

static inline struct uuid request_project(const struct request *req)
{
    return req->caller ? req->caller->project : req->project;
}

/* request_is_practitioner() is true for any practitioner, request_is_admin() for one who
 * administers the project. */
bool request_is_practitioner(const struct request *req);
bool request_is_admin(const struct request *req);

/* True for an API key, which has no account; profile and session are its id. */
bool request_is_key(const struct request *req);

enum { PROJECT_READ_ONLY_RETRY_S = 5 };
#define PROJECT_READ_ONLY_TEXT "The project is read-only for the moment. Please try again."

/* Rejects writes during a project's move to another installation. */
int refuse_read_only(struct error *err);

enum access {
    ACCESS_PUBLIC = 1,   /* ignores tokens, unless R_OPTIONAL_TOKEN is set */
    ACCESS_USER,         /* any live token */
    ACCESS_PRACTITIONER, /* a practitioner's token */
    ACCESS_ADMIN,        /* token of a practitioner who administers the project */
    /* a live token, or a token whose session ended by signing out */
    ACCESS_LOGOUT,
    ACCESS_INTERNAL, /* has no HTTP route; only the daemons named in the row can call it */
};

enum route_flags {
    R_SAFE = 1 << 0,              /* a read: can be retried on another instance */
    R_NO_CONTENT = 1 << 1,        /* success is 204 */
    R_OPTIONAL_BODY = 1 << 2,     /* body and Content-Type are optional */
    R_SLOW_ERRORS = 1 << 3,       /* errors wait until one second after arrival */
    R_THROTTLE_REGISTER = 1 << 4, /* counts for the registration limit before any check */
    R_ETAG = 1 << 5,              /* the output's FIELD_INTERNAL "etag" becomes the ETag header */
    R_FORM = 1 << 6,              /* takes a form with a file, see content.h */
    R_CONTENT = 1 << 7,           /* answers with a file, see content.h */
    R_LIMITED = 1 << 8,           /* can fail with 429 after a person's or project's limit */
    R_PAGE = 1 << 9,              /* answers with a page for people, see page.h */
    R_OPTIONAL_TOKEN = 1 << 10,   /* ACCESS_PUBLIC, but a token must be live: it is the caller */
    /* defined by a standard, see endpoint.h; can be combined only with: */
    R_ENDPOINT = 1 << 11,
    R_CORS = 1 << 12,    /* open to scripts of all origins */
    R_BROWSER = 1 << 13, /* for browsers: gets the tenant's cookie, shows errors as pages */
    R_CACHED = 1 << 14,  /* its answers are cached for when no daemon answers */
    /* below /auth/, where other routes do not: requires a second factor if the project does */
    R_FACTOR = 1 << 15,
    R_SECRET = 1 << 16,   /* can show a secret, which compressed length would leak */
    R_REPEATED = 1 << 17, /* handles repeated parameters itself */
    /* REACH_ACCOUNT: also allows sessions that do not own the account, once an operator has allowed
     * it (ownership_admits_factor()) */
    R_ADMITTED = 1 << 18,
    R_PROJECT = 1 << 19, /* an operation of atriumctl, see request_project() */
    R_KEY = 1 << 20,     /* open to API keys; only for actions that a policy can name */
    R_SCIM = 1 << 21,    /* an endpoint of SCIM: takes a JSON body, errors in its form */
};

/* Time for the answer in seconds (1-255) instead of 10, combined with the flags. */
#define R_WITHIN(seconds) ((unsigned)(seconds) << 24)
#define ROUTE_SECONDS(flags) ((unsigned)(flags) >> 24)

struct operation {
    const char *name;
    /* separated by spaces; sockets refuse others */
    const char *callers;
    enum access access; /* required identity, checked again after the gateway */
    enum reach reach;
    unsigned flags;
    const struct field_table *input, *output;
    int (*call)(void *daemon, const struct request *req, const void *in, void *out,
                struct error *err);
};

struct route {
    const char *method, *path; /* segments in braces are parameters */
    const char *service, *operation;
    enum access access;
    enum reach reach;
    unsigned flags;
    const struct field_table *input, *output;
    const char *since, *summary; /* version that introduced it; description */
    bool alias;                  /* an old path of another route's operation */
};

#endif
