/*
 * queued_mail.h - thousands of emails in maild's queue, copied from one registration's.
 */
#ifndef ATRIUM_TESTS_SUPPORT_QUEUED_MAIL_H
#define ATRIUM_TESTS_SUPPORT_QUEUED_MAIL_H

#include "tests/support/suite.h"

/* Registers a patient, keeps the queued email as the model, and empties the queue. The mail server
 * refuses everything meanwhile. Asserts. */
void queued_mail_model(struct suite *suite);

/* Queues this many copies, due now. */
void queued_mail_put(struct suite *suite, int count);

bool queued_mail_sent(struct suite *suite, long count, int timeout_ms);

#endif
