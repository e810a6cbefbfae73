/*
 * settingsd_sql.h - the statements of settingsd by name; their texts are in settingsd_sql.def.
 *
 * The string macros are pieces that several statements share.  Columns bear the names of the struct
 * members that they fill (db_row).
 */
#ifndef ATRIUM_SETTINGSD_SETTINGSD_SQL_H
#define ATRIUM_SETTINGSD_SETTINGSD_SQL_H

#include "common/service/audit.h"

enum settingsd_statement {
#define SQL(name, class, params, text) name,
#include "settingsd/settingsd_sql.def"
#undef SQL
    SETTINGSD_STATEMENT_COUNT
};

extern const struct db_statement settingsd_statements[SETTINGSD_STATEMENT_COUNT];

/* What project p has of the projects above it: t.root_id, itself when it is one, and t.suspended,
 * whether it or one of them is.  A project never gets another parent. */
#define PROJECT_TREE_JOIN                                                                        \
    "cross join lateral (with recursive above (id, parent_id, suspended) as ("                   \
    "select p.id, p.parent_id, p.suspended union all "                                           \
    "select a.id, a.parent_id, a.suspended from above b cross join lateral "                     \
    "(select x.id, x.parent_id, x.suspended from project x where x.id = b.parent_id limit 1) a)" \
    " select (array_agg(id) filter (where parent_id is null))[1] as root_id, "                   \
    "bool_or(suspended) as suspended from above) t"

/* Column 0: the account policy. Then struct tenant, of project p, its tenant_code c and its tree t:
 * what is unset already has its default. */
#define TENANT_COLUMNS                                                                       \
    "p.account_policy::text, "                                                               \
    "p.id as \"projectId\", p.parent_id as \"parentId\", p.name, c.code as \"tenantCode\", " \
    "t.root_id as \"rootId\", t.suspended, p.created_at as \"createdAt\", "                  \
    "p.deleting_at is not null as deleting, "                                                \
    "coalesce((p.settings->>'PATIENT_REGISTRATION_ENABLED')::boolean, true) "                \
    "as \"patientRegistration\", "                                                           \
    "coalesce((p.settings->>'PATIENT_INVITATION_ENABLED')::boolean, true) "                  \
    "as \"patientInvitation\", "                                                             \
    "coalesce((p.settings->>'PATIENT_LOGIN_ENABLED')::boolean, true) "                       \
    "as \"patientLogin\", "                                                                  \
    "coalesce((p.settings->>'PRACTITIONER_REGISTRATION_ENABLED')::boolean, false) "          \
    "as \"practitionerRegistration\", "                                                      \
    "coalesce((p.settings->>'PRACTITIONER_INVITATION_ENABLED')::boolean, true) "             \
    "as \"practitionerInvitation\", "                                                        \
    "coalesce((p.settings->>'PRACTITIONER_LOGIN_ENABLED')::boolean, true) "                  \
    "as \"practitionerLogin\", "                                                             \
    "coalesce((p.settings->>'CLINICIAN_INVITE_ON_BUSINESS_EMAIL')::boolean, false) "         \
    "as \"inviteOnBusinessEmail\", "                                                         \
    "substr(p.settings->>'defaultPatientAccessPolicy', length('AccessPolicy/') + 1)::uuid "  \
    "as \"defaultPatientPolicy\", "                                                          \
    "substr(p.settings->>'DEFAULT_PRACTITIONER_ACCESS_POLICY', length('AccessPolicy/') + "   \
    "1)::uuid "                                                                              \
    "as \"defaultPractitionerPolicy\", "                                                     \
    "p.settings->>'PATIENT_APP_URL' as \"patientAppUrl\", "                                  \
    "p.settings->>'PRACTITIONER_APP_URL' as \"practitionerAppUrl\", "                        \
    "p.default_language as \"defaultLanguage\""

/* The tenant code c of project p, if it has one. As a lateral query it is looked up by its index
 * however few rows the tables had when the plan was made. */
#define TENANT_CODE_JOIN \
    "left join lateral (select code from tenant_code where project_id = p.id limit 1) c on true"

/* struct settings_record and struct settings_values, of project p; version first. */
#define RECORD_COLUMNS                                                              \
    "p.version, p.id as \"projectId\", '\"' || p.version || '\"' as etag, "         \
    "p.settings->>'defaultPatientAccessPolicy' as \"defaultPatientAccessPolicy\", " \
    "(p.settings->>'PATIENT_REGISTRATION_ENABLED')::boolean "                       \
    "as \"PATIENT_REGISTRATION_ENABLED\", "                                         \
    "(p.settings->>'PATIENT_INVITATION_ENABLED')::boolean "                         \
    "as \"PATIENT_INVITATION_ENABLED\", "                                           \
    "(p.settings->>'PATIENT_LOGIN_ENABLED')::boolean "                              \
    "as \"PATIENT_LOGIN_ENABLED\", "                                                \
    "(p.settings->>'PRACTITIONER_REGISTRATION_ENABLED')::boolean "                  \
    "as \"PRACTITIONER_REGISTRATION_ENABLED\", "                                    \
    "(p.settings->>'PRACTITIONER_INVITATION_ENABLED')::boolean "                    \
    "as \"PRACTITIONER_INVITATION_ENABLED\", "                                      \
    "(p.settings->>'PRACTITIONER_LOGIN_ENABLED')::boolean "                         \
    "as \"PRACTITIONER_LOGIN_ENABLED\", "                                           \
    "(p.settings->>'CLINICIAN_INVITE_ON_BUSINESS_EMAIL')::boolean "                 \
    "as \"CLINICIAN_INVITE_ON_BUSINESS_EMAIL\", "                                   \
    "p.settings->>'DEFAULT_PRACTITIONER_ACCESS_POLICY' "                            \
    "as \"DEFAULT_PRACTITIONER_ACCESS_POLICY\", "                                   \
    "p.settings->>'PRACTITIONER_APP_URL' as \"PRACTITIONER_APP_URL\", "             \
    "p.settings->>'PATIENT_APP_URL' as \"PATIENT_APP_URL\""

/* struct access_policy, of access_policy a */
#define POLICY_COLUMNS                                                                 \
    "'AccessPolicy' as \"resourceType\", a.id, a.name, a.resource::text as resource, " \
    "a.ip_access_rule::text as \"ipAccessRule\""

/* The outbox row of DB_OUTBOX(); arguments are parameter texts such as "$3". */
#define OUTBOX_INSERT(id, method, body, at)                      \
    "insert into outbox (id, method, body, created_at, due_at) " \
    "select " id "::uuid, " method "::text, " body "::bytea, " at "::bigint, " at "::bigint"

#endif
