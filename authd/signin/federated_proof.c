/*
 * federated_proof.c - see federated_proof.h.
 */
#include "authd/signin/federated_proof.h"

#include "authd/credential/challenge.h"
#include "common/base/secret.h"

static int refuse(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "The session code is invalid or has expired.");
}

int federated_proof_consume(struct db_tx **tx_p, const struct request *req, const char *code,
                            const char *verifier, bool step_up,
                            struct sql_federated_proof_consume_row *ret, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_federated_proof_consume_in in = {.code_hash = {hash, sizeof(hash)},
                                                      .account = req->caller->account,
                                                      .project = req->caller->project,
                                                      .session = req->caller->session,
                                                      .step_up = step_up,
                                                      .now = req->now_ms};
    int found;

    secret_hash(code, hash);
    found = sql_federated_proof_consume(*tx_p, req, &in, ret, err);
    if (found < 0)
        return -1;
    if (found > 0 && challenge_matches(ret->challenge, verifier))
        return 0;
    return db_commit(tx_p, err) < 0 ? -1 : refuse(err);
}
