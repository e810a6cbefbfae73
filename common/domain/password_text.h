/* password_text.h - passwords' text for hashing and counting. */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_TEXT_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_TEXT_H

#include <stddef.h>

/* Maps non-ASCII spaces to U+0020, then to NFC (RFC 8265, section 4.2), since keyboards encode
 * letters differently. NULL: already normal. 1 ms for 100 KB: not on the loop. */
char *password_text_normalize(const char *text);
void password_text_destroy(char **self_p);

size_t password_text_length(const char *text);

#endif
