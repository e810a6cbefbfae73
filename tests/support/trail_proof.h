/*
 * trail_proof.h - verifies the API's audit proofs from the response alone (RFC 6962, section
 * 2.1.1). Go verifies the signature.
 */
#ifndef ATRIUM_TESTS_SUPPORT_TRAIL_PROOF_H
#define ATRIUM_TESTS_SUPPORT_TRAIL_PROOF_H

#include <jansson.h>

#include "common/base/base.h"

bool trail_proof_holds(const json_t *answer);

#endif
