/*
 * json_number.h - numbers of JSON that is passed on, as their text.
 *
 * jansson has int64 and double: 5.40 becomes 5.4000000000000004, 2^64 is refused, and FHIR R4's
 * decimal keeps precision. So such a number is a string in the tree: U+0000, which no text has, and
 * the number's text.
 */
#ifndef ATRIUM_COMMON_WIRE_JSON_NUMBER_H
#define ATRIUM_COMMON_WIRE_JSON_NUMBER_H

#include "common/wire/codec.h"

/* Writes the text with those numbers as strings; false: none, or a text with U+0000, a mistake
 * already. It need not be JSON. */
bool json_number_mark(const char *text, size_t size, struct codec_buffer *out);

/* Makes them numbers again, in the place of what jansson has written. */
void json_number_unmark(char *text);

/* How many characters json_number_mark() has added to the line that ends at byte `end`. */
int json_number_shift(const char *marked, size_t end);

/* The number's text when the string is one, else NULL. */
const char *json_number_text(const json_t *string);

#endif
