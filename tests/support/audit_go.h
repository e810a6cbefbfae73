/*
 * audit_go.h - Go's own note and tlog (tests/audit-go/verify.go), asked about what was answered.
 */
#ifndef ATRIUM_TESTS_SUPPORT_AUDIT_GO_H
#define ATRIUM_TESTS_SUPPORT_AUDIT_GO_H

#include <jansson.h>

#include "common/base/base.h"

/* Whether they can be asked. The first call builds the program in that directory; without Go it
 * says so, or fails with ATRIUM_REQUIRE_ALL. */
bool audit_go_build(const char *dir);

/* Whether Go finds that many proofs good in a line of input. Consumes it. */
bool audit_go_accepts(json_t *line, int want);

/* Whether it refuses one, with that text. Consumes it. */
bool audit_go_refuses(json_t *line, const char *complaint);

#endif
