/*
 * output.h - prints JSON with --json, otherwise a table or "name  value" lines.
 */
#ifndef ATRIUM_CTL_OUTPUT_H
#define ATRIUM_CTL_OUTPUT_H

#include "common/wire/fields.h"
#include "ctl/ctl.h"

void output_record(const struct ctl *ctl, const struct field_table *table, const void *record);

void output_object(const struct ctl *ctl, json_t *json);

/* Prints a table of the columns (NULL-ended), or JSON with all members. */
void output_list(const struct ctl *ctl, const struct field_table *table,
                 const struct field_list *list, const char *const *columns);

void output_append(const struct ctl *ctl, const struct field_table *table, struct field_list *list,
                   const struct field_list *page);

/* Both functions are for output in pieces: a record's JSON, and a text without control
 * characters. */
json_t *output_json(struct arena *arena, const struct field_table *table, const void *record);
char *output_printable(struct arena *arena, const char *text);

/* Prints a note, but nothing with --json. */
void output_note(const struct ctl *ctl, const char *format, ...) PRINTF_LIKE(2, 3);

/* Prints a sentence, with --json as {"message": sentence}. */
void output_done(const struct ctl *ctl, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
