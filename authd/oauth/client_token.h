/*
 * client_token.h - the audit rows of tokens that clients get in their own name, several in one
 * statement and one commit (common/runtime/batch.h).
 *
 * The statement writes a row only while the settings are those that the client was proven by, and
 * returns the number of their last change: it compares a guess (authd/settings_cache.h).
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_TOKEN_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_TOKEN_H

#include "authd/authd.h"

struct settings_view;
struct sql_audit;

/* d->client_tokens */
extern const struct batch_kind client_token_batch;

/* Records a token that is about to be given. Fails: CONFLICT, the view was a wrong guess; UNCERTAIN
 * when the answer was lost. Parks. */
int client_token_record(struct authd *d, const struct request *req, struct settings_view *view,
                        const struct sql_audit *audit, struct error *err) MUST_USE;

#endif
