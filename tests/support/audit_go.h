/*
 * audit_go.h - verifies checkpoints and proofs with Go's note and tlog (tests/audit-go/verify.go).
 */
#ifndef ATRIUM_TESTS_SUPPORT_AUDIT_GO_H
#define ATRIUM_TESTS_SUPPORT_AUDIT_GO_H

#include <jansson.h>

#include "common/base/base.h"

/* True when Go is available. The first call builds the verifier in that directory. If Go is
 * missing, it prints a note, or fails if ATRIUM_REQUIRE_ALL is set. */
bool audit_go_build(const char *dir);

/* True when Go accepts `want` proofs in a line of input, which is consumed. */
bool audit_go_accepts(json_t *line, int want);

/* True when Go rejects the line with this text. Consumes the line. */
bool audit_go_refuses(json_t *line, const char *complaint);

#endif
