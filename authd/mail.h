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
    const struct tenant *tenant; /* whose template is used; NULL: the installation's */
    bool builtin;                /* use the installation's template if the tenant has none */
    const char *to, *display;
    /* Contract time at which the email's link expires; the email is not sent after it. 0: never. */
    int64_t expires_at;
    /* The template's own variables. mail_row() adds those that every template has. */
    struct mail_variable {
        const char *name, *value;
    } variables[MAIL_VARIABLES_MAX];
};

/* Counts an email that an unauthenticated client causes, and admits ten an hour per email address.
 * Unknown addresses count too, so that answers don't reveal accounts. Parks. */
int mail_admit(struct authd *d, const struct request *req, const char *to, bool *ret_admitted,
               struct error *err) MUST_USE;

/* Like mail_admit(), for a link that a client requests; a client address also has a limit of 100
 * links of a kind in 15 minutes. */
int mail_admit_link(struct authd *d, const struct request *req, const char *kind, const char *to,
                    bool *ret_admitted, struct error *err) MUST_USE;

/* Admits five emails about its deletion per account in 15 minutes. Parks. */
int mail_admit_deletion(struct authd *d, const struct request *req, struct uuid account,
                        bool *ret_admitted, struct error *err) MUST_USE;

/* Returns the outbox row of an email, for the statement that makes the change; call outbox_wake()
 * after the commit. */
struct sql_outbox mail_row(struct authd *d, const struct request *req, const struct mail *mail);

/* Queues an email that belongs to no other change. Parks. */
int mail_queue(struct authd *d, const struct request *req, const struct mail *mail,
               struct error *err) MUST_USE;

#endif
