/*
 * client_token.h - audit rows of clients' own tokens, several in one statement and commit
 * (common/runtime/batch.h). The statement writes them only if the view's guess
 * (authd/settings_cache.h) is the last change number.
 */
#ifndef ATRIUM_AUTHD_OAUTH_CLIENT_TOKEN_H
#define ATRIUM_AUTHD_OAUTH_CLIENT_TOKEN_H

#include "authd/authd.h"

struct settings_view;
struct sql_audit;

extern const struct batch_kind client_token_batch;

/* Records a token before it is issued. Fails: CONFLICT (wrong guess), UNCERTAIN. Parks. */
int client_token_record(struct authd *d, const struct request *req, struct settings_view *view,
                        const struct sql_audit *audit, struct error *err) MUST_USE;

#endif
