/*
 * bad_smtp.h - a mail server inside the test that misbehaves on purpose, and counts what it is
 * asked.
 *
 * It speaks plain SMTP on 127.0.0.1 with one thread for each connection.  A mail counts as accepted
 * as soon as its last line is there, unless the answer to it is a refusal: that is what a server
 * does that files the mail first and answers late, or dies before it answers.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BAD_SMTP_H
#define ATRIUM_TESTS_SUPPORT_BAD_SMTP_H

#include "common/base/base.h"

enum bad_smtp_manner {
    BAD_SMTP_NONE,          /* a good server */
    BAD_SMTP_LATE_GREETING, /* says 220 after the delay */
    BAD_SMTP_LATE_ANSWER,   /* accepts the mail, answers 250 after the delay */
    BAD_SMTP_NO_ANSWER,     /* accepts the mail, never answers */
    BAD_SMTP_RESET,         /* accepts the mail, resets the connection without an answer */
    BAD_SMTP_REFUSE_ALL,    /* 421 instead of the greeting, or of the next answer */
    BAD_SMTP_BUSY,          /* 451 to each recipient */
    BAD_SMTP_ONE_EACH,      /* takes one mail for each connection, then closes it without a word */
};

struct bad_smtp;

/* Starts the server on this port. */
struct bad_smtp *bad_smtp_start(int port);
void bad_smtp_stop(struct bad_smtp **self_p);

/* How it behaves from now on, also on connections that are open. */
void bad_smtp_behave(struct bad_smtp *self, enum bad_smtp_manner manner, int delay_ms);

/* Since the start or the last reset: connections, mails accepted with repetitions, different ones
 * of them by Message-ID, and how often the one was accepted that was accepted most. */
struct bad_smtp_counts {
    long connections, accepted, different, most;
};
struct bad_smtp_counts bad_smtp_counts(struct bad_smtp *self);
void bad_smtp_reset(struct bad_smtp *self);

/* Waits until so many different mails were accepted; false after timeout_ms. */
bool bad_smtp_wait(struct bad_smtp *self, long different, int timeout_ms);

#endif
