/* request.h - what a handler knows about its call, and one row of an operation table. */
#ifndef ATRIUM_COMMON_DOMAIN_REQUEST_H
#define ATRIUM_COMMON_DOMAIN_REQUEST_H

#include "common/base/arena.h"
#include "common/base/base.h"
#include "common/base/error.h"
#include "common/base/uuid.h"
#include "common/domain/role.h"
#include "common/wire/fields.h"

/* The caller, resolved from the bearer token by the gateway: the only service believed about it. */
struct caller {
    struct uuid account;
    struct uuid membership;
    struct uuid project;
    struct uuid session;
    struct uuid profile;
    struct uuid tokenId;    /* jti of the presented access token */
    enum role role;         /* the type of the profile; of an API key ROLE_DEVICE */
    const char *display;    /* display name of the profile */
    const char *addressKey; /* seals the account's network addresses; NULL: it has no key yet */
    bool admin;             /* administers the project */
    const char *projectName;
    struct uuid policy; /* "" when the membership has none */
    const char *policyName;
    const char *policyResource; /* JSON array: the rules of the access policy */
    int64_t until; /* contract time, ms, from which on there is no such account any more; 0: none */
    bool secondFactor;       /* the session was opened with a second factor, or enrolled one */
    int64_t documentsMax;    /* documents that the account may keep; 0: no limit */
    int64_t bytesMax;        /* bytes that it may keep; 0: no limit */
    int64_t projectBytesMax; /* bytes that all accounts of the project may keep; 0: no limit */
};
FIELD_DECLARE(caller);

/* What seals the network addresses of an account: common/service/audit_address.h. */
struct address_key {
    struct uuid account;
    const char *key;
    const struct address_key *next;
};

enum reach {
    REACH_PUBLIC = 1, /* needs no session: a password, a link or a key decides */
    REACH_SESSION,    /* the session alone */
    REACH_PROJECT,    /* the session's project, and what the person has in it */
    /* the person's sign-in everywhere: needs a session of a project that owns the account, or an
     * own page */
    REACH_ACCOUNT,
};

struct ownership;
struct operation;

struct request {
    struct arena *arena; /* freed after the answer was sent */
    const struct caller
        *caller; /* NULL on public routes and on calls between daemons without a user */
    const char
        *service; /* calling service, proven by the socket or key: "gateway", "authd", "ctl" ... */
    const char *trace;        /* request id, on every log line */
    const char *address;      /* client's address as text, "" when there is no client */
    const char *userAgent;    /* client's User-Agent, "" when unknown; at most 512 bytes */
    int64_t now_ms;           /* contract time of arrival */
    int64_t deadline_mono_ms; /* when the answer is worthless */
    bool safe;                /* of an R_SAFE operation */
    /* R_PROJECT: atriumctl names a project by `tenant`, a code or id; or, with NULL, by `project`,
     * which is not looked up. A daemon reads `project`. */
    const char *tenant;
    struct uuid project;
    /* of accounts that a request without a caller was found to be about; NULL: none is kept */
    const struct address_key **addressKeys;
    /* Never on the wire: */
    bool of_page;                /* a hosted page does this for its visitor */
    const struct operation *row; /* of the operation that is served */
    /* with REACH_ACCOUNT: why the caller may act on the account, see authd/account/ownership.h */
    const struct ownership *ownership;
};

/* The caller's project, or the one that atriumctl names. */
static inline struct uuid request_project(const struct request *req)
{
    return req->caller ? req->caller->project : req->project;
}

/* True for a practitioner of any kind; for a practitioner who administers the project. */
bool request_is_practitioner(const struct request *req);
bool request_is_admin(const struct request *req);

/* Whether the caller is an API key: no account; profile and session are the key's id. */
bool request_is_key(const struct request *req);

/* Refuses writes while a project is moved to another installation: ERR_PROJECT_READ_ONLY. */
enum { PROJECT_READ_ONLY_RETRY_S = 5 };
#define PROJECT_READ_ONLY_TEXT "The project is read-only for the moment. Please try again."
int refuse_read_only(struct error *err);

enum access {
    ACCESS_PUBLIC = 1,   /* no token; a presented one is ignored, but see R_OPTIONAL_TOKEN */
    ACCESS_USER,         /* any live bearer token */
    ACCESS_PRACTITIONER, /* of a practitioner */
    ACCESS_ADMIN,        /* of a practitioner who administers the project */
    /* a live token, or one whose session was ended by logging out with this very token */
    ACCESS_LOGOUT,
    ACCESS_INTERNAL, /* no HTTP route: between daemons, for the callers that the row names */
};

enum route_flags {
    R_SAFE = 1 << 0,          /* a read: may be sent again to another instance */
    R_NO_CONTENT = 1 << 1,    /* success is 204 without a body */
    R_OPTIONAL_BODY = 1 << 2, /* a request without a body and Content-Type is fine */
    R_SLOW_ERRORS = 1 << 3,   /* no error answer earlier than one second after arrival */
    R_THROTTLE_REGISTER =
        1 << 4,         /* counts for the registration limit before anything else is looked at */
    R_ETAG = 1 << 5,    /* the output's FIELD_INTERNAL member "etag" becomes the ETag header */
    R_FORM = 1 << 6,    /* takes a form with a file, see content.h */
    R_CONTENT = 1 << 7, /* answers with a file, see content.h */
    R_LIMITED = 1 << 8, /* may be refused because a person or a project had enough of it: 429 */
    R_PAGE = 1 << 9,    /* answers with a page for people, see page.h */
    R_OPTIONAL_TOKEN =
        1 << 10, /* ACCESS_PUBLIC, but a presented token must be live: it says who calls */
    /* a standard defines request and answer, see endpoint.h; these only beside it: */
    R_ENDPOINT = 1 << 11,
    R_CORS = 1 << 12,    /* scripts of all origins may call it */
    R_BROWSER = 1 << 13, /* browsers are sent to it: the tenant's cookie, errors are pages */
    R_CACHED = 1 << 14,  /* its answer is kept, for when no daemon answers */
    /* below /auth/: needs a second factor where the project demands one */
    R_FACTOR = 1 << 15,
    R_SECRET = 1 << 16,   /* a page that may show a secret: its length would tell, compressed */
    R_REPEATED = 1 << 17, /* an endpoint that answers a repeated parameter itself */
    /* REACH_ACCOUNT: also in a session that does not own the account, once an operator admits it */
    R_ADMITTED = 1 << 18,
    R_PROJECT = 1 << 19, /* an operation of atriumctl on a project, see request_project() */
    R_KEY = 1 << 20,     /* API keys may call it: only what a policy can name */
};

/* Together with the flags: the answer may take so many seconds (1-255) instead of 10. */
#define R_WITHIN(seconds) ((unsigned)(seconds) << 24)
#define ROUTE_SECONDS(flags) ((unsigned)(flags) >> 24)

struct operation {
    const char *name; /* of the handler */
    /* services that may call it, separated by spaces; the socket refuses all others */
    const char *callers;
    enum access
        access; /* what the caller identity must satisfy (checked again behind the gateway) */
    enum reach reach;
    unsigned flags;
    const struct field_table *input, *output;
    int (*call)(void *daemon, const struct request *req, const void *in, void *out,
                struct error *err);
};

struct route {
    const char *method, *path; /* path segments in braces are parameters */
    const char *service, *operation;
    enum access access;
    enum reach reach;
    unsigned flags;
    const struct field_table *input, *output;
    const char *since, *summary; /* the version that it came with; what it does, for readers */
    bool alias;                  /* an old path of another route's operation */
};

#endif
