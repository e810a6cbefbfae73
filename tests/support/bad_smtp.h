/*
 * bad_smtp.h - a mail server in the test that misbehaves on purpose and counts requests.
 *
 * It speaks plain SMTP on 127.0.0.1, with a thread per connection. An email counts as accepted when
 * its last line has arrived, unless its response is a refusal, as in a server that stores it first
 * and then responds late or never.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BAD_SMTP_H
#define ATRIUM_TESTS_SUPPORT_BAD_SMTP_H

#include "common/base/base.h"

enum bad_smtp_manner {
    BAD_SMTP_NONE,          /* a correct server */
    BAD_SMTP_LATE_GREETING, /* sends 220 after the delay */
    BAD_SMTP_LATE_ANSWER,   /* accepts the email, sends 250 after the delay */
    BAD_SMTP_NO_ANSWER,     /* accepts the email, never responds */
    BAD_SMTP_RESET,         /* accepts the email, resets the connection */
    BAD_SMTP_REFUSE_ALL,    /* 421 instead of the greeting or the next response */
    BAD_SMTP_BUSY,          /* 451 for each recipient */
    BAD_SMTP_ONE_EACH,      /* accepts one email per connection, then closes it */
};

struct bad_smtp;

struct bad_smtp *bad_smtp_start(int port);
void bad_smtp_stop(struct bad_smtp **self_p);

void bad_smtp_behave(struct bad_smtp *self, enum bad_smtp_manner manner, int delay_ms);

/* Counts since start or reset: connections, accepted emails with duplicates, distinct ones by
 * Message-ID, and the highest number of copies. */
struct bad_smtp_counts {
    long connections, accepted, different, most;
};
struct bad_smtp_counts bad_smtp_counts(struct bad_smtp *self);
void bad_smtp_reset(struct bad_smtp *self);

/* Waits for this many distinct emails. Returns false after timeout_ms. */
bool bad_smtp_wait(struct bad_smtp *self, long different, int timeout_ms);

#endif
