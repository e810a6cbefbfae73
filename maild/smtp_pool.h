/*
 * smtp_pool.h - threads that talk to the mail server for the loop.
 *
 * Each thread has a session (smtp_session.h) and sends one email at a time, while the fiber parks.
 * At the deadline or a stop the fiber goes on, and the thread ends within a second; its result is
 * ignored.
 */
#ifndef ATRIUM_MAILD_SMTP_POOL_H
#define ATRIUM_MAILD_SMTP_POOL_H

#include "maild/smtp_session.h"

struct smtp_pool;

/* Sends that many emails in parallel, plus a check. Starts threads on demand. */
struct smtp_pool *smtp_pool_new(struct loop *loop, const struct smtp_server *server, size_t mails);

/* False: some threads still run and keep the pool until the process ends. */
bool smtp_pool_destroy(struct smtp_pool **self_p, int64_t wait_ms);

/* Uses another server, which is shared, for further work. Work in progress keeps the old one. */
void smtp_pool_use(struct smtp_pool *self, const struct smtp_server *server);

/* Parks until the outcome or the deadline. Asks `gate` on this fiber before handing over the
 * text. */
void smtp_pool_send(struct smtp_pool *self, const struct mail *mail, int64_t deadline_mono_ms,
                    const struct transport_gate *gate, struct smtp_result *ret);

void smtp_pool_check(struct smtp_pool *self, int64_t deadline_mono_ms, struct smtp_result *ret);

/* EARLY cancels work that is not handed over yet. Takes about a second. */
enum smtp_pool_cancel { SMTP_POOL_RUNS, SMTP_POOL_CANCEL_EARLY, SMTP_POOL_CANCEL_ALL };
void smtp_pool_cancel(struct smtp_pool *self, enum smtp_pool_cancel which);

#endif
