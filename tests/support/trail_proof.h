/*
 * trail_proof.h - whether a proof of the audit trail, as the API answers it, proves its record:
 * computed from the answer alone, as RFC 6962, section 2.1.1 says. The signature is for Go to
 * verify.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TRAIL_PROOF_H
#define ATRIUM_TESTS_SUPPORT_TRAIL_PROOF_H

#include <jansson.h>

#include "common/base/base.h"

/* True when the hashes lead from the record to the root of the checkpoint. */
bool trail_proof_holds(const json_t *answer);

#endif
