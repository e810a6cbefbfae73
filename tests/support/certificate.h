/*
 * certificate.h - a self-signed server certificate from openssl.
 */
#ifndef ATRIUM_TESTS_SUPPORT_CERTIFICATE_H
#define ATRIUM_TESTS_SUPPORT_CERTIFICATE_H

#include "tests/support/unit.h"

/* Makes cert.pem and key.pem for 127.0.0.1 in the directory. */
void certificate_make(const struct unit_dir *dir);

#endif
