/*
 * certificate.h - a server's certificate of a test's own, by openssl.
 */
#ifndef ATRIUM_TESTS_SUPPORT_CERTIFICATE_H
#define ATRIUM_TESTS_SUPPORT_CERTIFICATE_H

#include "tests/support/unit.h"

/* Makes one for 127.0.0.1, cert.pem and key.pem in the directory; it is its own authority. */
void certificate_make(const struct unit_dir *dir);

#endif
