/*
 * password_text.h - a password's text as hashed and counted: RFC 8265, section 4.2, forbidding
 * nothing.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_TEXT_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_TEXT_H

#include <stddef.h>

/* Maps non-ASCII spaces to U+0020, then to NFC; NULL: that is the text itself. Two keyboards may
 * send the same letters as different bytes. A millisecond for 100 KB: not on the loop. */
char *password_text_normalize(const char *text);

/* Wipes and frees; takes NULL. */
void password_text_destroy(char **self_p);

/* How many code points a text has once it is normalised. */
size_t password_text_length(const char *text);

#endif
