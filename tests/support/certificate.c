/*
 * certificate.c - see certificate.h.
 */
#include "tests/support/certificate.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

#include "tests/support/program.h"

void certificate_make(const struct unit_dir *dir)
{
    char key[128], certificate[128];
    const char *const argv[] = {"/usr/bin/openssl",
                                "req",
                                "-x509",
                                "-newkey",
                                "ec",
                                "-pkeyopt",
                                "ec_paramgen_curve:prime256v1",
                                "-nodes",
                                "-days",
                                "2",
                                "-subj",
                                "/CN=localhost",
                                "-addext",
                                "subjectAltName=IP:127.0.0.1",
                                "-keyout",
                                key,
                                "-out",
                                certificate,
                                NULL};

    snprintf(key, sizeof(key), "%s/key.pem", dir->path);
    snprintf(certificate, sizeof(certificate), "%s/cert.pem", dir->path);
    PROGRAM openssl = program_run(argv, NULL);
    CHECK_EXIT(openssl, 0);
}
