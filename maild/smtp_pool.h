/*
 * smtp_pool.h - the threads that talk to the mail server, so that the loop never waits for it.
 *
 * Each thread has a session (smtp_session.h) of its own and sends one mail at a time.  A fiber
 * hands its mail over and parks.  When its deadline passes, or the daemon stops, the fiber goes on
 * without the thread: the thread learns that the mail is no longer wanted and ends by itself within
 * about a second, and nothing that it does then counts.
 */
#ifndef ATRIUM_MAILD_SMTP_POOL_H
#define ATRIUM_MAILD_SMTP_POOL_H

#include "maild/smtp_session.h"

struct smtp_pool;

/* Sends up to `mails` mails at a time, and a check beside them. Starts threads on demand. */
struct smtp_pool *smtp_pool_new(struct loop *loop, const struct smtp_server *server, size_t mails);

/* Waits for its threads up to wait_ms. False: some still run and keep the pool until the process
 * ends. */
bool smtp_pool_destroy(struct smtp_pool **self_p, int64_t wait_ms);

/* New work uses this server, which is shared; work in progress ends with the old one. */
void smtp_pool_use(struct smtp_pool *self, const struct smtp_server *server);

/* Sends a mail on a thread; parks until the outcome or the deadline. `gate` is asked on this fiber
 * right before the text is handed over. */
void smtp_pool_send(struct smtp_pool *self, const struct mail *mail, int64_t deadline_mono_ms,
                    const struct transport_gate *gate, struct smtp_result *ret);

/* smtp_session_check() on a thread. */
void smtp_pool_check(struct smtp_pool *self, int64_t deadline_mono_ms, struct smtp_result *ret);

/* Cancels within about a second what is not handed over yet, or everything. */
enum smtp_pool_cancel { SMTP_POOL_RUNS, SMTP_POOL_CANCEL_EARLY, SMTP_POOL_CANCEL_ALL };
void smtp_pool_cancel(struct smtp_pool *self, enum smtp_pool_cancel which);

#endif
