/*
 * federated_proof.h - a signed-in person's answer from an identity provider, for a link or a fresh
 * proof. It is used once, by the session that started the round, with the verifier of its
 * challenge.
 */
#ifndef ATRIUM_AUTHD_SIGNIN_FEDERATED_PROOF_H
#define ATRIUM_AUTHD_SIGNIN_FEDERATED_PROOF_H

#include "authd/authd.h"
#include "authd/sql/federation.h"

/* Takes the answer from the open transaction. A wrong verifier uses it, too, and commits. Fails:
 * BAD_REQUEST. Parks. */
int federated_proof_consume(struct db_tx **tx_p, const struct request *req, const char *code,
                            const char *verifier, bool step_up,
                            struct sql_federated_proof_consume_row *ret,
                            struct error *err) MUST_USE;

#endif
