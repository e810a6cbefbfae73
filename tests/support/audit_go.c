/*
 * audit_go.c - see audit_go.h.
 */
#include "tests/support/audit_go.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/program.h"
#include "tests/support/unit.h"

enum { BUILD_MS = 300000 };

static char verifier[256];

bool audit_go_build(const char *dir)
{
    static const struct unit_need needs[] = {
        {"/usr/bin/go", NULL},
        {"/usr/share/gocode/src/golang.org/x/mod/sumdb/note/note.go", NULL},
        {NULL, NULL}};
    char cache[300];
    const char *argv[] = {"/usr/bin/env",
                          "GO111MODULE=off",
                          "GOFLAGS=",
                          "GOPATH=/usr/share/gocode",
                          cache,
                          "/usr/bin/go",
                          "build",
                          "-o",
                          verifier,
                          "tests/audit-go/verify.go",
                          NULL};

    if (!unit_has(needs, "ATRIUM_REQUIRE_ALL"))
        return false;
    if (verifier[0] != '\0')
        return true;
    snprintf(cache, sizeof(cache), "GOCACHE=%s/go-cache", dir);
    snprintf(verifier, sizeof(verifier), "%s/verify", dir);
    PROGRAM built = program_start(argv, NULL);
    return program_wait_end(built, BUILD_MS) && CHECK_EXIT(built, 0);
}

bool audit_go_accepts(json_t *line, int want)
{
    char *text = json_dumps(line, JSON_COMPACT), says[32];
    const char *argv[] = {verifier, NULL};
    PROGRAM run = program_run(argv, text);

    json_decref(line);
    free(text);
    snprintf(says, sizeof(says), "%d good\n", want);
    return UNIT_CHECK(run->code == 0 && strcmp(run->out, says) == 0, "Go says %s%s", run->out,
                      run->err);
}

bool audit_go_refuses(json_t *line, const char *complaint)
{
    char *text = json_dumps(line, JSON_COMPACT);
    const char *argv[] = {verifier, NULL};
    PROGRAM run = program_run(argv, text);

    json_decref(line);
    free(text);
    return UNIT_CHECK(run->code == 1 && strstr(run->err, complaint), "Go says %s%s", run->out,
                      run->err);
}
