/*
 * json_number.h - numbers of forwarded JSON, kept as text.
 *
 * jansson has int64 and double: 5.40 becomes 5.4000000000000004, and 2^64 is rejected, but FHIR
 * R4's decimal keeps precision. So such a number is a string in the tree: U+0000, which no text
 * contains, and its text.
 */
#ifndef ATRIUM_COMMON_WIRE_JSON_NUMBER_H
#define ATRIUM_COMMON_WIRE_JSON_NUMBER_H

#include "common/wire/codec.h"

/* Writes the text with such numbers as strings. False: none, or a text with U+0000, which is a
 * fault. The text need not be JSON. */
bool json_number_mark(const char *text, size_t size, struct codec_buffer *out);

/* Restores the numbers within jansson's output. */
void json_number_unmark(char *text);

/* Counts characters that json_number_mark() added to the line before byte `end`. */
int json_number_shift(const char *marked, size_t end);

/* Returns the number's text, or NULL for another string. */
const char *json_number_text(const json_t *string);

#endif
