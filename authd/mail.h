/*
 * mail.h - emails to account owners, which maild receives through the outbox.
 */
#ifndef ATRIUM_AUTHD_MAIL_H
#define ATRIUM_AUTHD_MAIL_H

#include "authd/authd.h"

enum { MAIL_VARIABLES_MAX = 4 };

struct mail {
    struct uuid id;              /* idempotency key; absent: a new one */
    const char *template;        /* "PASSWORD_RESET" */
    const struct tenant *tenant; /* sends the email; NULL: the installation */
    bool builtin;                /* fall back to the installation's template */
    const char *to, *display;
    /* Contract time at which the link expires, after which the email is not sent; 0: never. */
    int64_t expires_at;
    /* mail_row() adds the variables that every template has. */
    struct mail_variable {
        const char *name, *value;
    } variables[MAIL_VARIABLES_MAX];
};

/* Counts an email that an unauthenticated client causes, and admits ten an hour per email address.
 * Unknown addresses count too, so that answers don't reveal accounts. Parks. */
int mail_admit(struct authd *d, const struct request *req, const char *to, bool *ret_admitted,
               struct error *err) MUST_USE;

/* Like mail_admit(), for a requested link. Also limits a client address to 100 links of a kind in
 * 15 minutes. */
int mail_admit_link(struct authd *d, const struct request *req, const char *kind, const char *to,
                    bool *ret_admitted, struct error *err) MUST_USE;

/* Admits five emails about its deletion per account in 15 minutes. Parks. */
int mail_admit_deletion(struct authd *d, const struct request *req, struct uuid account,
                        bool *ret_admitted, struct error *err) MUST_USE;

/* Returns an email's outbox row, for the statement that makes the change. Call outbox_wake() after
 * the commit. */
struct sql_outbox mail_row(struct authd *d, const struct request *req, const struct mail *mail);

/* Queues an email on its own. Parks. */
int mail_queue(struct authd *d, const struct request *req, const struct mail *mail,
               struct error *err) MUST_USE;

#endif
