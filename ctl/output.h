/*
 * output.h - what a command shows: JSON with --json, a table or "name  value" lines otherwise.
 *
 * The field tables of the bus name the members; a command only chooses the columns.
 */
#ifndef ATRIUM_CTL_OUTPUT_H
#define ATRIUM_CTL_OUTPUT_H

#include "common/wire/fields.h"
#include "ctl/ctl.h"

/* One record: the JSON object, or one line for each member. */
void output_record(const struct ctl *ctl, const struct field_table *table, const void *record);

void output_object(const struct ctl *ctl, json_t *json);

/* Many records: a JSON array of whole objects, or a table of the named columns (NULL-ended). */
void output_list(const struct ctl *ctl, const struct field_table *table,
                 const struct field_list *list, const char *const *columns);

void output_append(const struct ctl *ctl, const struct field_table *table, struct field_list *list,
                   const struct field_list *page);

/* For output in pieces: JSON of a struct (decref it), and a text without control characters. */
json_t *output_json(struct arena *arena, const struct field_table *table, const void *record);
char *output_printable(struct arena *arena, const char *text);

/* One line for people; nothing with --json. */
void output_note(const struct ctl *ctl, const char *format, ...) PRINTF_LIKE(2, 3);

/* The sentence of a command without a result; with --json {"message": sentence}. */
void output_done(const struct ctl *ctl, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
