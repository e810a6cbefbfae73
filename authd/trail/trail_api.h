/*
 * trail_api.h - a project's audit log, and receipts of erasures.
 */
#ifndef ATRIUM_AUTHD_TRAIL_TRAIL_API_H
#define ATRIUM_AUTHD_TRAIL_TRAIL_API_H

#include "common/service/audit_address.h"
#include "common/service/erasure.h"
#include "common/wire/fields.h"

struct project_audit_in {
    int64_t since, until; /* contract ms; 0: any */
    const char *actor;    /* "Practitioner/<id>", "Account/<id>" */
    const char *action;   /* "session.end", or "session" */
    const char *target;   /* "Session/<id>" */
    bool people;          /* also name the members in the events */
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(project_audit_in);

/* A current member of the project. Names are read with the list and never stored in the log. */
struct audit_person {
    struct uuid account;
    const char *profile; /* "Practitioner/<id>" */
    const char *firstName, *lastName, *email;
};
FIELD_DECLARE(audit_person);

struct project_audit_list {
    const char *resources;    /* JSON array of AuditEvents */
    struct field_list people; /* struct audit_person; empty unless requested */
    const char *next;
};
FIELD_DECLARE(project_audit_list);

struct project_audit_checkpoint_in {
    int64_t from; /* size of an older checkpoint; 0: none */
};
FIELD_DECLARE(project_audit_checkpoint_in);

struct project_audit_checkpoint {
    const char *checkpoint, *verifierKey;
    int64_t size;
    struct field_texts consistency; /* hashes, base64 */
};
FIELD_DECLARE(project_audit_checkpoint);

struct project_audit_proof_in {
    const char *id; /* path: id of the AuditEvent */
};
FIELD_DECLARE(project_audit_proof_in);

struct project_audit_proof {
    const char *id;
    int64_t index, size;
    const char *record;        /* the leaf's text; NULL: the row was deleted */
    struct field_texts hashes; /* base64 */
    const char *checkpoint, *verifierKey;
};
FIELD_DECLARE(project_audit_proof);

struct sign_in_hour {
    int64_t hour; /* start of the hour */
    int64_t succeeded, failed;
};
FIELD_DECLARE(sign_in_hour);

struct sign_in_hours {
    struct field_list resources; /* struct sign_in_hour, oldest first */
};
FIELD_DECLARE(sign_in_hours);

/* Addresses of any daemon's audit rows. */
enum { ADDRESSES_OPEN_MAX = 250 }; /* 40 us each */
struct operator_addresses_open_in {
    struct field_list addresses; /* struct audit_sealed */
};
FIELD_DECLARE(operator_addresses_open_in);

struct operator_addresses_open_out {
    struct field_texts addresses; /* as in the request; "": the account was deleted */
};
FIELD_DECLARE(operator_addresses_open_out);

struct operator_erasure_in {
    struct uuid account;
};
FIELD_DECLARE(operator_erasure_in);

/* A daemon's part of an erasure. */
struct erasure_part {
    const char *daemon;
    int64_t doneAt;
    struct field_list erased; /* struct erased_table */
};
FIELD_DECLARE(erasure_part);

/* The second line of the signed note, after its name. */
struct erasure_statement {
    struct uuid account;
    int64_t deletedAt;
    bool complete;
    struct field_list parts; /* struct erasure_part */
};
FIELD_DECLARE(erasure_statement);

struct erasure_receipt {
    struct uuid account;
    int64_t deletedAt;
    bool complete;
    struct field_list parts;           /* struct erasure_part */
    struct field_texts missing;        /* daemons that are not done */
    const char *receipt, *verifierKey; /* NULL: incomplete */
};
FIELD_DECLARE(erasure_receipt);

struct activity_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(activity_in);

struct activity_row {
    const char *event;  /* JSON AuditEvent */
    const char *record; /* text of the leaf; NULL: the row is about another actor */
    int64_t index;
    struct field_texts hashes; /* base64 */
};
FIELD_DECLARE(activity_row);

struct activity_list {
    struct field_list resources; /* struct activity_row */
    const char *next;
    int64_t size;
    const char *checkpoint, *verifierKey;
};
FIELD_DECLARE(activity_list);

#endif
