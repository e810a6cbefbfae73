/*
 * mail.h - mail to the owner of an account, handed to maild through the outbox.
 */
#ifndef ATRIUM_AUTHD_MAIL_H
#define ATRIUM_AUTHD_MAIL_H

#include "authd/authd.h"
#include "settingsd/settingsd_api.h"

enum { MAIL_VARIABLES_MAX = 2 };

struct mail {
    struct uuid id;       /* its key, by which it is sent once; absent: a new one */
    const char *template; /* "PASSWORD_RESET" */
    const struct tenant *tenant;
    const char *to, *display;
    /* those of the template's own; the ones that every template has are added */
    struct mail_variable {
        const char *name, *value;
    } variables[MAIL_VARIABLES_MAX];
};

/* The outbox row of a mail, for the statement that makes what the mail is about; outbox_kick() after
 * its commit. */
struct outbox_row mail_row(struct authd *d, const struct request *req, const struct mail *mail);

#endif
