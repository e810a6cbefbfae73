/*
 * smtp_session.h - a thread's SMTP connection (RFC 5321), with libcurl. Functions block, within
 * limits. A reused connection that is dead is replaced immediately.
 */
#ifndef ATRIUM_MAILD_SMTP_SESSION_H
#define ATRIUM_MAILD_SMTP_SESSION_H

#include "maild/smtp_server.h"
#include "maild/transport.h"

struct smtp_hooks {
    /* Called before the text is sent; can block. False: do not send. */
    bool (*hand_over)(void *arg);
    /* Called at least once a second. */
    bool (*is_cancelled)(void *arg);
    void *arg;
};

struct smtp_result {
    enum transport_outcome outcome;
    int code;    /* CURLcode */
    long answer; /* 0: none */
    bool denied; /* hand_over() refused: the server is fine */
    char reason[TRANSPORT_REASON_MAX];
};

struct smtp_session;

struct smtp_session *smtp_session_new(void);

/* Sends QUIT without waiting. Accepts NULL. */
void smtp_session_destroy(struct smtp_session **self_p);

void smtp_session_rest(struct smtp_session *self, bool idle);

/* Sends an email. A connection to another server is closed first. */
void smtp_session_send(struct smtp_session *self, const struct smtp_server *server,
                       const struct mail *mail, int64_t deadline_mono_ms,
                       const struct smtp_hooks *hooks, struct smtp_result *ret);

/* Connects, starts TLS and signs in. */
void smtp_session_check(const struct smtp_server *server, int64_t deadline_mono_ms,
                        const struct smtp_hooks *hooks, struct smtp_result *ret);

#endif
