/*
 * smtp_session.h - one connection to the mail server, as one thread uses it: SMTP (RFC 5321)
 * through libcurl.
 *
 * Everything here blocks, within the limits that it is given, and touches nothing of the loop.  A
 * connection is kept for further mails; one that turns out to be dead before a mail was handed over
 * is replaced at once.
 */
#ifndef ATRIUM_MAILD_SMTP_SESSION_H
#define ATRIUM_MAILD_SMTP_SESSION_H

#include "maild/smtp_server.h"
#include "maild/transport.h"

/* What the session asks while it works, on the thread that it works on. */
struct smtp_hooks {
    /* Asked before the mail's text is sent. False: do not send it. May block. */
    bool (*hand_over)(void *arg);
    /* The work is no longer wanted. Asked at least once a second. */
    bool (*is_cancelled)(void *arg);
    void *arg;
};

struct smtp_result {
    enum transport_outcome outcome;
    int code;    /* CURLcode */
    long answer; /* the server's last one, 0 when there was none */
    bool denied; /* hand_over() said no: nothing is wrong with the server */
    char reason[TRANSPORT_REASON_MAX];
};

struct smtp_session;

struct smtp_session *smtp_session_new(void);

/* Sends QUIT without waiting. Accepts NULL. */
void smtp_session_destroy(struct smtp_session **self_p);

void smtp_session_rest(struct smtp_session *self, bool idle);

/* Sends one mail until the monotonic deadline. Closes a connection to another server first. */
void smtp_session_send(struct smtp_session *self, const struct smtp_server *server,
                       const struct mail *mail, int64_t deadline_mono_ms,
                       const struct smtp_hooks *hooks, struct smtp_result *ret);

/* Connects, starts TLS and signs in, as for a mail. */
void smtp_session_check(const struct smtp_server *server, int64_t deadline_mono_ms,
                        const struct smtp_hooks *hooks, struct smtp_result *ret);

#endif
