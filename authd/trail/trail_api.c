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
    NOTE_MAX = 2048,
    RECEIPT_MAX = 32768,
    ERASURE_PARTS_MAX = 8,
    ERASED_TABLES_MAX = 64,
    ACTIVITY_MAX = 50,
    PROOF_HASHES_MAX = 64,
    HASH_BASE64 = 44,
    SIGN_IN_HOURS = 25,
};

#define FIELD_CHECKPOINT(s)                                                                      \
    FIELD_TEXT(s, checkpoint, 1, NOTE_MAX, FIELD_REQUIRED,                                       \
               "Head of the tree: a signed note with its origin, size and root.",                \
               "lakeside.example/t/north/audit 1203"),                                           \
        FIELD_TEXT(s, verifierKey, 1, NOTE_MAX, FIELD_REQUIRED,                                  \
                   "Key of the note's signature, as verifiers take it: name, hash and key. The " \
                   "key of an installation stays the same: compare it with one that you kept.",  \
                   "lakeside.example/t/north/audit+1f2e3d4c+AZ...")

#define FIELD_HASHES(s, member, doc)                                                        \
    FIELD_TEXTS(s, member, HASH_BASE64, HASH_BASE64, PROOF_HASHES_MAX, FIELD_REQUIRED, doc, \
                "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg=")

static const struct field project_audit_in_rows[] = {
    FIELD_TIME(struct project_audit_in, since, FIELD_QUERY, "Recorded then or later."),
    FIELD_TIME(struct project_audit_in, until, FIELD_QUERY, "Recorded then or earlier."),
    FIELD_TEXT(
        struct project_audit_in, actor, 1, AUDIT_TEXT_MAX, FIELD_QUERY,
        "Who did it: a profile, or an account; either finds all that the person did, also to "
        "register and sign in.",
        "Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct project_audit_in, action, 1, AUDIT_TEXT_MAX, FIELD_QUERY,
               "What was done: an action, or its first word.", "session.end"),
    FIELD_TEXT(
        struct project_audit_in, target, 1, AUDIT_TEXT_MAX, FIELD_QUERY,
        "What it is about. A profile or an account finds all that is about the person, or was "
        "done by that person.",
        "Session/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_CURSOR(struct project_audit_in, "`next` of the page before; good for a day."),
    FIELD_INT(struct project_audit_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY, "Events at most.",
              "50"),
};
FIELD_TABLE(project_audit_in);

static const struct field project_audit_list_rows[] = {
    FIELD_JSON(struct project_audit_list, resources, AUDIT_EVENTS_JSON_MAX, FIELD_REQUIRED,
               "FHIR R4 AuditEvents, the newest first.", "[]"),
    FIELD_NEXT(struct project_audit_list),
};
FIELD_TABLE(project_audit_list);

static const struct field project_audit_checkpoint_in_rows[] = {
    FIELD_INT(struct project_audit_checkpoint_in, from, 0, INT64_MAX, 0, FIELD_QUERY,
              "Size of an older checkpoint, for the proof that this tree begins with that one.",
              "1000"),
};
FIELD_TABLE(project_audit_checkpoint_in);

static const struct field project_audit_checkpoint_rows[] = {
    FIELD_CHECKPOINT(struct project_audit_checkpoint),
    FIELD_INT(struct project_audit_checkpoint, size, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Leaves of the tree.", "1203"),
    FIELD_HASHES(struct project_audit_checkpoint, consistency,
                 "Proof for `from` (RFC 6962, section 2.1.2); empty without it."),
};
FIELD_TABLE(project_audit_checkpoint);

static const struct field project_audit_proof_in_rows[] = {
    FIELD_TEXT(struct project_audit_proof_in, id, 1, 64, FIELD_PATH | FIELD_REQUIRED,
               "Id of the AuditEvent.", "authd-17"),
};
FIELD_TABLE(project_audit_proof_in);

static const struct field project_audit_proof_rows[] = {
    FIELD_TEXT(struct project_audit_proof, id, 1, 64, FIELD_REQUIRED, "Id of the AuditEvent.",
               "authd-17"),
    FIELD_INT(struct project_audit_proof, index, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Which leaf of the tree it is, from 0 on.", "16"),
    FIELD_INT(struct project_audit_proof, size, 1, INT64_MAX, 0, FIELD_REQUIRED,
              "Leaves of the tree.", "1203"),
    FIELD_TEXT(struct project_audit_proof, record, 1, AUDIT_RECORD_MAX, FIELD_NULLABLE,
               "The event as it was hashed; null when it was dropped since.",
               "{\"daemon\":\"authd\"}"),
    FIELD_HASHES(struct project_audit_proof, hashes,
                 "Proof that the leaf is in the tree (RFC 6962, section 2.1.1)."),
    FIELD_CHECKPOINT(struct project_audit_proof),
};
FIELD_TABLE(project_audit_proof);

static const struct field sign_in_hour_rows[] = {
    FIELD_TIME(struct sign_in_hour, hour, FIELD_REQUIRED, "When the hour began, in UTC."),
    FIELD_INT(struct sign_in_hour, succeeded, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Sessions that were made.", "12"),
    FIELD_INT(struct sign_in_hour, failed, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Sign-ins that were refused.", "1"),
};
FIELD_TABLE(sign_in_hour);

static const struct field sign_in_hours_rows[] = {
    FIELD_OBJECTS(struct sign_in_hours, resources, sign_in_hour, SIGN_IN_HOURS, FIELD_REQUIRED,
                  "The last 24 full hours and the current one, the oldest first."),
};
FIELD_TABLE(sign_in_hours);

static const struct field operator_addresses_open_in_rows[] = {
    FIELD_OBJECTS(struct operator_addresses_open_in, addresses, audit_sealed, ADDRESSES_OPEN_MAX,
                  FIELD_REQUIRED, "Of rows of any daemon."),
};
FIELD_TABLE(operator_addresses_open_in);

static const struct field operator_addresses_open_out_rows[] = {
    FIELD_TEXTS(struct operator_addresses_open_out, addresses, 0, 64, ADDRESSES_OPEN_MAX, 0,
                "In the same order; empty: the account was deleted.", "192.0.2.7"),
};
FIELD_TABLE(operator_addresses_open_out);

static const struct field operator_erasure_in_rows[] = {
    FIELD_UUID(struct operator_erasure_in, account, FIELD_REQUIRED, "The account."),
};
FIELD_TABLE(operator_erasure_in);

static const struct field erasure_part_rows[] = {
    FIELD_TEXT(struct erasure_part, daemon, 1, 64, FIELD_REQUIRED, "The daemon.", "docd"),
    FIELD_TIME(struct erasure_part, doneAt, FIELD_REQUIRED, "When it had done its part."),
    FIELD_OBJECTS(struct erasure_part, erased, erased_table, ERASED_TABLES_MAX, 0,
                  "What it has erased."),
};
FIELD_TABLE(erasure_part);

#define FIELD_ERASURE(s)                                                              \
    FIELD_UUID(s, account, FIELD_REQUIRED, "The account."),                           \
        FIELD_TIME(s, deletedAt, FIELD_REQUIRED, "When it was deleted."),             \
        FIELD_BOOL(s, complete, false, 0, "Whether every daemon has done its part."), \
        FIELD_OBJECTS(s, parts, erasure_part, ERASURE_PARTS_MAX, 0, "Of each daemon that has.")

static const struct field erasure_statement_rows[] = {FIELD_ERASURE(struct erasure_statement)};
FIELD_TABLE(erasure_statement);

static const struct field erasure_receipt_rows[] = {
    FIELD_ERASURE(struct erasure_receipt),
    FIELD_TEXTS(struct erasure_receipt, missing, 1, 64, ERASURE_PARTS_MAX, 0,
                "Daemons that have not done their part yet.", "docd"),
    FIELD_TEXT(struct erasure_receipt, receipt, 1, RECEIPT_MAX, FIELD_NULLABLE,
               "The same as a signed note; null: not complete.", "lakeside.example/erasure {}"),
    FIELD_TEXT(struct erasure_receipt, verifierKey, 1, NOTE_MAX, FIELD_NULLABLE,
               "Key of the note's signature, as verifiers take it: name, hash and key.",
               "lakeside.example/erasure+1f2e3d4c+AZ..."),
};
FIELD_TABLE(erasure_receipt);

static const struct field activity_in_rows[] = {
    FIELD_CURSOR(struct activity_in, "`next` of the page before; good for a day."),
    FIELD_INT(struct activity_in, _count, 1, ACTIVITY_MAX, 20, FIELD_QUERY, "Events at most.",
              "20"),
};
FIELD_TABLE(activity_in);

static const struct field activity_row_rows[] = {
    FIELD_JSON_OBJECT(struct activity_row, event, AUDIT_RECORD_MAX, FIELD_REQUIRED,
                      "A FHIR R4 AuditEvent.", "{\"resourceType\":\"AuditEvent\"}"),
    FIELD_TEXT(struct activity_row, record, 1, AUDIT_RECORD_MAX, FIELD_NULLABLE,
               "The event as it was hashed; null when another person did it.",
               "{\"daemon\":\"authd\"}"),
    FIELD_INT(struct activity_row, index, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Which leaf of the tree it is, from 0 on.", "16"),
    FIELD_HASHES(struct activity_row, hashes,
                 "Proof that the leaf is in the tree (RFC 6962, section 2.1.1)."),
};
FIELD_TABLE(activity_row);

static const struct field activity_list_rows[] = {
    FIELD_OBJECTS(struct activity_list, resources, activity_row, ACTIVITY_MAX, FIELD_REQUIRED,
                  "Events, the newest first."),
    FIELD_NEXT(struct activity_list),
    FIELD_INT(struct activity_list, size, 0, INT64_MAX, 0, FIELD_REQUIRED, "Leaves of the tree.",
              "1203"),
    FIELD_CHECKPOINT(struct activity_list),
};
FIELD_TABLE(activity_list);
