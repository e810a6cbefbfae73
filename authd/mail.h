/*
 * mail.h - mail to the owner of an account, handed to maild through the outbox.
 */
#ifndef ATRIUM_AUTHD_MAIL_H
#define ATRIUM_AUTHD_MAIL_H

#include "authd/authd.h"

enum { MAIL_VARIABLES_MAX = 4 };

struct mail {
    struct uuid id;              /* its key, by which it is sent once; absent: a new one */
    const char *template;        /* "PASSWORD_RESET" */
    const struct tenant *tenant; /* by whose template; NULL: by the installation's own */
    bool builtin;                /* by that one too where the tenant maps none */
    const char *to, *display;
    /* contract time: its link is of no use from then on, and it is not sent; 0: never */
    int64_t expires_at;
    /* those of the template's own; the ones that every template has are added */
    struct mail_variable {
        const char *name, *value;
    } variables[MAIL_VARIABLES_MAX];
};

/* Whether one more mail that a client without a sign-in causes may go to the address: ten an hour
 * may, of all kinds. Counted for unknown addresses too, so that an answer can be the same for both.
 * Parks. */
int mail_admit(struct authd *d, const struct request *req, const char *to, bool *ret_admitted,
               struct error *err) MUST_USE;

/* As mail_admit(), for a link that the client asks for: of a kind, a client address may ask for 100
 * in 15 minutes. */
int mail_admit_link(struct authd *d, const struct request *req, const char *kind, const char *to,
                    bool *ret_admitted, struct error *err) MUST_USE;

/* Whether one more mail about its deletion may go to an account: five in 15 minutes may. Parks. */
int mail_admit_deletion(struct authd *d, const struct request *req, struct uuid account,
                        bool *ret_admitted, struct error *err) MUST_USE;

/* The outbox row of a mail, for the statement that makes what the mail is about; outbox_wake()
 * after its commit. */
struct sql_outbox mail_row(struct authd *d, const struct request *req, const struct mail *mail);

/* Queues a mail that no other change goes with. Parks. */
int mail_queue(struct authd *d, const struct request *req, const struct mail *mail,
               struct error *err) MUST_USE;

#endif
