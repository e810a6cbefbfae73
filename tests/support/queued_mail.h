/*
 * queued_mail.h - mails by the thousand in maild's queue, made of one that a registration queued.
 */
#ifndef ATRIUM_TESTS_SUPPORT_QUEUED_MAIL_H
#define ATRIUM_TESTS_SUPPORT_QUEUED_MAIL_H

#include "tests/support/suite.h"

/* Registers a patient, keeps the mail that this queues as the model and empties the queue. The mail
 * server turns everything away meanwhile. Asserts. */
void queued_mail_model(struct suite *suite);

/* Queues so many mails like the model, due at once. */
void queued_mail_put(struct suite *suite, int count);

/* Waits until so many mails of the queue are sent; false after timeout_ms. */
bool queued_mail_sent(struct suite *suite, long count, int timeout_ms);

#endif
