/* erasure.c - see erasure.h: the shapes. */
#include "common/service/erasure.h"

enum { PLACES_MAX = 1000, TABLES_MAX = 16 };

static const struct field membership_ref_rows[] = {
    FIELD_UUID(struct membership_ref, project, FIELD_REQUIRED, "Project of the profile."),
    FIELD_UUID(struct membership_ref, profile, FIELD_REQUIRED, "The profile."),
};
FIELD_TABLE(membership_ref);

static const struct field account_wipe_in_rows[] = {
    FIELD_UUID(struct account_wipe_in, key, FIELD_REQUIRED, "Names the call when it is repeated."),
    FIELD_OBJECTS(struct account_wipe_in, places, membership_ref, PLACES_MAX, FIELD_REQUIRED,
                  "Every profile that the account had."),
    FIELD_UUID(struct account_wipe_in, account, FIELD_NULLABLE,
               "The account for whose erasure it is counted."),
};
FIELD_TABLE(account_wipe_in);

static const struct field erased_table_rows[] = {
    FIELD_TEXT(struct erased_table, table, 1, 64, FIELD_REQUIRED, "Table.", "document"),
    FIELD_INT(struct erased_table, rows, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Rows that were deleted, or in which what names the person was.", "3"),
    FIELD_INT(struct erased_table, bytes, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Bytes of complete files.", "4096"),
};
FIELD_TABLE(erased_table);

static const struct field account_erased_in_rows[] = {
    FIELD_UUID(struct account_erased_in, account, FIELD_REQUIRED, "The account that is gone."),
};
FIELD_TABLE(account_erased_in);

static const struct field account_erased_out_rows[] = {
    FIELD_INT(struct account_erased_out, steps, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Requests that were carried out.", "2"),
    FIELD_TIME(struct account_erased_out, doneAt, 0, "When the last one was."),
    FIELD_BOOL(struct account_erased_out, waiting, false, 0, "Whether bytes wait for the sweep."),
    FIELD_OBJECTS(struct account_erased_out, erased, erased_table, TABLES_MAX, 0,
                  "What was erased."),
};
FIELD_TABLE(account_erased_out);
