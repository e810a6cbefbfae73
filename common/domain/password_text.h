/*
 * password_text.h - the text of a password as it is hashed and counted: RFC 8265, section 4.2
 * (OpaqueString), but for the characters that it forbids, which stay allowed here. Two keyboards
 * may send the same letters as different bytes.
 */
#ifndef ATRIUM_COMMON_DOMAIN_PASSWORD_TEXT_H
#define ATRIUM_COMMON_DOMAIN_PASSWORD_TEXT_H

#include <stddef.h>

/* The text with every space that is not ASCII (category Zs) as U+0020, and in NFC (Unicode Standard
 * Annex 15); nothing else is mapped. NULL when that is the text itself. Release it with
 * password_text_destroy(). Takes about a millisecond for 100 KB: not on the loop. */
char *password_text_normalize(const char *text);

/* Wipes and frees; takes NULL. */
void password_text_destroy(char **self_p);

/* How many code points a text has once it is normalised. */
size_t password_text_length(const char *text);

#endif
