/*
 * trail_api.c - see trail_api.h.
 */
#include "authd/trail/trail_api.h"

#include "authd/shape_api.h"
#include "common/service/page_cursor.h"

enum {
    AUDIT_TEXT_MAX = 256,
    AUDIT_EVENTS_JSON_MAX = 4 << 20,
    AUDIT_RECORD_MAX = 1 << 20,
    AUDIT_PEOPLE_MAX = 2 * MEMBERS_MAX + 2, /* two per event, plus the one in the filter */
    NOTE_MAX = 2048,
    RECEIPT_MAX = 32768,
    ERASURE_PARTS_MAX = 8,
    ERASED_TABLES_MAX = 64,
    ACTIVITY_MAX = 50,
    PROOF_HASHES_MAX = 64,
    HASH_BASE64 = 44,
    SIGN_IN_HOURS = 25,
};

#define EXAMPLE_CHECKPOINT                                                                   \
    "lakeside.example/t/north/audit\n1203\nbjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg=\n\n" \
    "\u2014 lakeside.example/t/north/audit Hy49TJ1bDO0VvZQkS3pT0w...\n"
#define EXAMPLE_VERIFIER_KEY "lakeside.example/t/north/audit+1f2e3d4c+AZ..."
#define EXAMPLE_RECORD \
    "{\"daemon\":\"authd\",\"seq\":17,\"action\":\"session.end\",\"at\":1769851800000}"
#define EXAMPLE_EVENT                                                                            \
    "{\"resourceType\":\"AuditEvent\",\"id\":\"authd-17\",\"recorded\":\"2026-01-31T09:30:00."   \
    "000Z\","                                                                                    \
    "\"action\":\"E\",\"outcome\":\"0\",\"subtype\":[{\"code\":\"session.end\"}],"               \
    "\"agent\":[{\"who\":{\"reference\":\"Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b\"}," \
    "\"requestor\":true}]}"
#define FIELD_CHECKPOINT(s)                                                                      \
    FIELD_TEXT(s, checkpoint, 1, NOTE_MAX, FIELD_REQUIRED,                                       \
               "Signed head of the tree: a note with origin, size and root hash.",               \
               EXAMPLE_CHECKPOINT),                                                              \
        FIELD_TEXT(s, verifierKey, 1, NOTE_MAX, FIELD_REQUIRED,                                  \
                   "Verifier key of the note: name, hash and key. It never changes; compare it " \
                   "with your copy.",                                                            \
                   EXAMPLE_VERIFIER_KEY)

#define FIELD_HASHES(s, member, doc)                                                        \
    FIELD_TEXTS(s, member, HASH_BASE64, HASH_BASE64, PROOF_HASHES_MAX, FIELD_REQUIRED, doc, \
                "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg=")

static const struct field project_audit_in_rows[] = {
    FIELD_TIME(struct project_audit_in, since, FIELD_QUERY,
               "Return only events recorded at this time or later.", "2026-01-01T00:00:00.000Z"),
    FIELD_TIME(struct project_audit_in, until, FIELD_QUERY,
               "Return only events recorded at this time or earlier."),
    FIELD_TEXT(struct project_audit_in, actor, 1, AUDIT_TEXT_MAX, FIELD_QUERY,
               "Who caused the event: a profile or an account. Both find everything the person "
               "did, including registration and sign-in.",
               "Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct project_audit_in, action, 1, AUDIT_TEXT_MAX, FIELD_QUERY,
               "Action, or the first word of it.", "session.end"),
    FIELD_TEXT(struct project_audit_in, target, 1, AUDIT_TEXT_MAX, FIELD_QUERY,
               "What the event is about. A profile or an account finds everything about the person "
               "or done by the person.",
               "Session/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_BOOL(struct project_audit_in, people, false, FIELD_QUERY,
               "Whether to also return the `people` of the events."),
    FIELD_CURSOR(struct project_audit_in, "`next` of the previous page; valid for a day."),
    FIELD_INT(struct project_audit_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Maximum number of events to return.", "50"),
};
FIELD_TABLE(project_audit_in);

static const struct field audit_person_rows[] = {
    FIELD_UUID(struct audit_person, account, FIELD_REQUIRED, "ID of the account."),
    FIELD_TEXT(struct audit_person, profile, 1, AUDIT_TEXT_MAX, FIELD_REQUIRED, "The profile.",
               "Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct audit_person, firstName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Given name.", "Ana"),
    FIELD_TEXT(struct audit_person, lastName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Lima"),
    FIELD_TEXT(struct audit_person, email, 1, 254, FIELD_REQUIRED, "Email address.",
               "ana@example.org"),
};
FIELD_TABLE(audit_person);

static const struct field project_audit_list_rows[] = {
    FIELD_JSON(struct project_audit_list, resources, AUDIT_EVENTS_JSON_MAX, FIELD_REQUIRED,
               "FHIR R4 AuditEvents, the newest first.", "[" EXAMPLE_EVENT "]"),
    FIELD_OBJECTS(struct project_audit_list, people, audit_person, AUDIT_PEOPLE_MAX,
                  FIELD_OMIT_EMPTY,
                  "With `people`: the project's members who caused these events, whom they are "
                  "about, or whom the filter names. The log itself contains no names."),
    FIELD_NEXT(struct project_audit_list),
};
FIELD_TABLE(project_audit_list);

static const struct field project_audit_checkpoint_in_rows[] = {
    FIELD_INT(struct project_audit_checkpoint_in, from, 0, INT64_MAX, 0, FIELD_QUERY,
              "Size of an older checkpoint, to get a proof that the tree begins with it.", "1000"),
};
FIELD_TABLE(project_audit_checkpoint_in);

static const struct field project_audit_checkpoint_rows[] = {
    FIELD_CHECKPOINT(struct project_audit_checkpoint),
    FIELD_INT(struct project_audit_checkpoint, size, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of leaves in the tree.", "1203"),
    FIELD_HASHES(
        struct project_audit_checkpoint, consistency,
        "Consistency proof from `from` (RFC 6962, section 2.1.2); empty if `from` is absent."),
};
FIELD_TABLE(project_audit_checkpoint);

static const struct field project_audit_proof_in_rows[] = {
    FIELD_TEXT(struct project_audit_proof_in, id, 1, 64, FIELD_PATH | FIELD_REQUIRED,
               "ID of the AuditEvent.", "authd-17"),
};
FIELD_TABLE(project_audit_proof_in);

static const struct field project_audit_proof_rows[] = {
    FIELD_TEXT(struct project_audit_proof, id, 1, 64, FIELD_REQUIRED, "ID of the AuditEvent.",
               "authd-17"),
    FIELD_INT(struct project_audit_proof, index, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Index of the leaf, from 0.", "16"),
    FIELD_INT(struct project_audit_proof, size, 1, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of leaves in the tree.", "1203"),
    FIELD_TEXT(struct project_audit_proof, record, 1, AUDIT_RECORD_MAX, FIELD_NULLABLE,
               "The event as it was hashed; null if the row has been removed since.",
               EXAMPLE_RECORD),
    FIELD_HASHES(struct project_audit_proof, hashes, "Inclusion proof (RFC 6962, section 2.1.1)."),
    FIELD_CHECKPOINT(struct project_audit_proof),
};
FIELD_TABLE(project_audit_proof);

static const struct field sign_in_hour_rows[] = {
    FIELD_TIME(struct sign_in_hour, hour, FIELD_REQUIRED, "Start of the hour in UTC."),
    FIELD_INT(struct sign_in_hour, succeeded, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Successful sign-ins.", "12"),
    FIELD_INT(struct sign_in_hour, failed, 0, INT64_MAX, 0, FIELD_REQUIRED, "Failed sign-ins.",
              "1"),
};
FIELD_TABLE(sign_in_hour);

static const struct field sign_in_hours_rows[] = {
    FIELD_OBJECTS(struct sign_in_hours, resources, sign_in_hour, SIGN_IN_HOURS, FIELD_REQUIRED,
                  "The last 24 full hours and the current hour, oldest first."),
};
FIELD_TABLE(sign_in_hours);

static const struct field operator_addresses_open_in_rows[] = {
    FIELD_OBJECTS(struct operator_addresses_open_in, addresses, audit_sealed, ADDRESSES_OPEN_MAX,
                  FIELD_REQUIRED, "Encrypted addresses from audit rows of any daemon."),
};
FIELD_TABLE(operator_addresses_open_in);

static const struct field operator_addresses_open_out_rows[] = {
    FIELD_TEXTS(struct operator_addresses_open_out, addresses, 0, 64, ADDRESSES_OPEN_MAX, 0,
                "Decrypted addresses in the same order; empty if the account was deleted.",
                "192.0.2.7"),
};
FIELD_TABLE(operator_addresses_open_out);

static const struct field operator_erasure_in_rows[] = {
    FIELD_UUID(struct operator_erasure_in, account, FIELD_REQUIRED, "ID of the erased account."),
};
FIELD_TABLE(operator_erasure_in);

static const struct field erasure_part_rows[] = {
    FIELD_TEXT(struct erasure_part, daemon, 1, 64, FIELD_REQUIRED, "Name of the daemon.", "docd"),
    FIELD_TIME(struct erasure_part, doneAt, FIELD_REQUIRED, "When the daemon completed its part."),
    FIELD_OBJECTS(struct erasure_part, erased, erased_table, ERASED_TABLES_MAX, 0,
                  "Rows that the daemon erased, by table."),
};
FIELD_TABLE(erasure_part);

#define FIELD_ERASURE(s)                                                                   \
    FIELD_UUID(s, account, FIELD_REQUIRED, "ID of the account."),                          \
        FIELD_TIME(s, deletedAt, FIELD_REQUIRED, "When the account was deleted."),         \
        FIELD_BOOL(s, complete, false, 0, "Whether every daemon has completed its part."), \
        FIELD_OBJECTS(s, parts, erasure_part, ERASURE_PARTS_MAX, 0,                        \
                      "Completed parts, one for each daemon.")

static const struct field erasure_statement_rows[] = {FIELD_ERASURE(struct erasure_statement)};
FIELD_TABLE(erasure_statement);

static const struct field erasure_receipt_rows[] = {
    FIELD_ERASURE(struct erasure_receipt),
    FIELD_TEXTS(struct erasure_receipt, missing, 1, 64, ERASURE_PARTS_MAX, 0,
                "Daemons that have not completed their part yet.", "docd"),
    FIELD_TEXT(struct erasure_receipt, receipt, 1, RECEIPT_MAX, FIELD_NULLABLE,
               "The receipt as a signed note; null until every part is complete.",
               "lakeside.example/erasure {}"),
    FIELD_TEXT(struct erasure_receipt, verifierKey, 1, NOTE_MAX, FIELD_NULLABLE,
               "Key that verifies the note's signature: name, hash and key.",
               "lakeside.example/erasure+1f2e3d4c+AZ..."),
};
FIELD_TABLE(erasure_receipt);

static const struct field activity_in_rows[] = {
    FIELD_CURSOR(struct activity_in, "`next` of the previous page; valid for a day."),
    FIELD_INT(struct activity_in, _count, 1, ACTIVITY_MAX, 20, FIELD_QUERY,
              "Maximum number of events to return.", "20"),
};
FIELD_TABLE(activity_in);

static const struct field activity_row_rows[] = {
    FIELD_JSON_OBJECT(struct activity_row, event, AUDIT_RECORD_MAX, FIELD_REQUIRED,
                      "A FHIR R4 AuditEvent.", EXAMPLE_EVENT),
    FIELD_TEXT(struct activity_row, record, 1, AUDIT_RECORD_MAX, FIELD_NULLABLE,
               "The event as it was hashed; null if another person caused it.", EXAMPLE_RECORD),
    FIELD_INT(struct activity_row, index, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Index of the leaf, from 0.", "16"),
    FIELD_HASHES(struct activity_row, hashes, "Inclusion proof (RFC 6962, section 2.1.1)."),
};
FIELD_TABLE(activity_row);

static const struct field activity_list_rows[] = {
    FIELD_OBJECTS(struct activity_list, resources, activity_row, ACTIVITY_MAX, FIELD_REQUIRED,
                  "Events, newest first."),
    FIELD_NEXT(struct activity_list),
    FIELD_INT(struct activity_list, size, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of leaves in the tree.", "1203"),
    FIELD_CHECKPOINT(struct activity_list),
};
FIELD_TABLE(activity_list);
