/*
 * test_authd_tenant.c - moves authd's rows of a project to another installation.
 */
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "authd/account/transfer.h"
#include "authd/credential/factor.h"
#include "authd/sql_part.h"
#include "common/base/clock.h"
#include "tests/support/tenant_kit.h"
#include "tests/support/unit.h"

extern const struct db_migration authd_migrations[];

enum { MANY = 1500, WAIT_MS = 300 };

#define ID(project_, last_) "0190a00" project_ "-0000-7000-8000-0000000000" last_

#define MAKE_ID                                                                  \
    "create function id(project int, last int) returns uuid language sql as $$ " \
    "select ('0190a00' || project || '-0000-7000-8000-' || lpad(last::text, 12, '0'))::uuid $$;\n"

/* Makes three rows for each project; `p` is its id, `d` its digit. chr(64) is the at sign, which
 * would start a sealed value in the text. */
#define OF_EACH                                                                    \
    " from generate_series(1, 3) i, (values ('" TENANT_KIT_PROJECT "'::uuid, 1), " \
    "('" TENANT_KIT_OTHER "', 2)) x (p, d);\n"
#define ADDRESS "i || chr(64) || d || '.example'"

#define FACTOR(project_, last_)                                                               \
    "insert into mfa_factor values ('" ID(project_, last_) "', @" FACTOR_SEAL_PURPOSE " " ID( \
        project_, last_) "|known-secret-" last_ "@, 1, 2, 3, '{4,5}');\n"

/* Each project's second account is a practitioner's. Memberships have another order than accounts.
 * One password hash was imported. */
static const char seed[] = MAKE_ID
    "insert into account (id, role, project_id, email, name, surname, created_at, delete_at, "
    "delete_schedule) select id(d, i), case i when 2 then 'Practitioner' else 'Patient' end, "
    "case i when 2 then null else p end, 'a' || " ADDRESS ", E'Caf\\u00e9 \"', '{\\', 7, "
    "case i when 3 then 99 end, case i when 3 then p end" OF_EACH
    "insert into membership (project_id, id, account_id, profile_id, admin, created_at) "
    "select p, id(d, 9 - i), id(d, i), id(d, 10 + i), i = 2, 8" OF_EACH
    "insert into credential select id(d, i), case i when 1 then '$2b$10$x' else "
    "'$argon2id$v=19$m=19456,t=2,p=1$x' end || i, 9, i" OF_EACH
    "insert into email_verified select id(d, i), case i when 2 then p else '" UUID_NIL "' end, "
    "i" OF_EACH FACTOR("1", "02") FACTOR("1", "03") FACTOR("2", "02") FACTOR(
        "2",
        "03") "insert into mfa_recovery select id(d, 2), int4send(i)" OF_EACH
              "insert into passkey select id(d, 20 + i), id(d, 2), 'a.example', case i when 1 then "
              "p end, "
              "int4send(10 * d + i), '\\x01', -7, '\\x0405', 1, true, 'key', 3, null" OF_EACH
              "insert into last_sign_in select id(d, i), p, i" OF_EACH
              "insert into fhir_server select p, id(d, 40 + i), 'F', 'https://f/' || i, "
              "array['patient/*.rs'], '{}', 1, 2" OF_EACH
              "insert into identity_provider (id, project_id, name, preset, issuer, client_id, "
              "secret_sealed, auth_method, scopes, trusted_for_mfa, roles, domains, provisioning, "
              "enforced, state, tested_at, created_at, updated_at) select id(d, 60 + i), p, "
              "'I', 'oidc', 'https://i.example', 'c', '\\x01', 'client_secret_basic', 'openid', "
              "true, '{patients}', '{a.example}', 'both', '{patients}', 'active', 1, 1, "
              "2" OF_EACH
              "insert into invitation (project_id, id, role, email, name, surname, admin, "
              "profile_id, "
              "invited_at, secret_hash, expires_at, sign_up_hash, sign_up_expires_at) select p, "
              "id(d, 30 + i), 'Practitioner', 'i' || " ADDRESS
              ", 'I', 'N', i = 2, p, 4, '\\x0203', 5, "
              "case i when 2 then '\\x0809'::bytea end, case i when 2 then 6 end" OF_EACH;

/* The receiver's own accounts: a practitioner (1) of the other project without a password and with
 * a changed address, its patient (2), a practitioner without membership (3), one of both projects
 * (4), and of this project alone one with nothing else (5) and one who joined here (6). The file
 * added 4 and 5. */
static const char others[] = MAKE_ID
    "insert into account (id, role, project_id, email, name, surname, created_at) "
    "select id(3, i), case i when 2 then 'Patient' else 'Practitioner' end, "
    "case i when 2 then '" TENANT_KIT_OTHER "'::uuid end, 'o' || i, 'N', 'S', 1 "
    "from generate_series(1, 6) i;\n"
    "insert into membership (project_id, id, account_id, profile_id, created_at) "
    "select p::uuid, id(3, 10 * i), id(3, i), id(3, 1), 1 from (values "
    "('" TENANT_KIT_OTHER "', 1), ('" TENANT_KIT_OTHER "', 2), ('" TENANT_KIT_OTHER "', 4), "
    "('" TENANT_KIT_PROJECT "', 4), ('" TENANT_KIT_PROJECT "', 5), "
    "('" TENANT_KIT_PROJECT "', 6)) x (p, i);\n"
    "insert into transfer_account select '" TENANT_KIT_PROJECT "', id(3, i), id(3, 10 * i), false, "
    "false, 9 from generate_series(4, 5) i;\n"
    "insert into email_undo values (id(3, 80), id(3, 1), 'Practitioner', null, 'before', '\\x01', "
    "'" TENANT_KIT_OTHER "', false, '{}', 1, 9), (id(3, 81), id(3, 2), 'Patient', "
    "'" TENANT_KIT_PROJECT "', 'before', '\\x01', '" TENANT_KIT_OTHER "', false, '{}', 1, 9);\n"
    "select 1";

/* An account and its membership as rows with these columns and those of any other table. */
#define PERSON(id_, role_, home_, email_, project_, member_, account_)                           \
    "select row_to_json(r) from (select json_populate_record(null::account, '{\"id\":\"" id_     \
    "\",\"role\":\"" role_ "\",\"project_id\":" home_ ",\"email\":\"" email_                     \
    "\",\"name\":\"N\",\"surname\":\"S\",\"created_at\":1,\"delete_wipe\":false}') as account, " \
    "json_populate_record(null::membership, '{\"project_id\":\"" project_ "\",\"id\":\"" member_ \
    "\",\"account_id\":\"" account_ "\",\"profile_id\":\"" ID(                                   \
        "3", "01") "\",\"admin\":false,\"created_at\":1,\"end_wipe\":false}') as membership) r"
#define ROW(table_, columns_) \
    "select row_to_json(json_populate_record(null::" table_ ", '{" columns_ "}'))"
#define WITHOUT(row_, columns_) "select replace((" row_ ")::text, '" columns_ "', '')"
/* All of the receiver's accounts, memberships and related rows except the project's own, as
 * texts. */
#define ALL_OF_THEM                                                                               \
    "select row_to_json(a)::text as t from account a where id in (id(1, 2), id(7, 1)) union all " \
    "select row_to_json(m)::text from membership m where project_id = '" TENANT_KIT_OTHER         \
    "' union all select row_to_json(c)::text from credential c where account_id in (id(1, 2), "   \
    "id(7, 1)) union all select row_to_json(v)::text from email_verified v where account_id in "  \
    "(id(1, 2), id(7, 1)) union all select row_to_json(f)::text from mfa_factor f where "         \
    "account_id in (id(1, 2), id(7, 1)) union all select row_to_json(s)::text from last_sign_in " \
    "s where account_id in (id(1, 2), id(7, 1))"
#define ACCOUNT_ROW(project_, last_)                                                        \
    "select row_to_json(r) from (select a as account, m as membership from account a join " \
    "membership m on m.account_id = a.id where a.id = id(" project_ ", " last_ ")) r"
#define OF(id_) "\"account_id\":\"" id_ "\""
#define NEW ID("4", "01")
#define NEW_MEMBER ID("4", "02")
#define PRACTITIONER "Practitioner"
#define PATIENT "Patient"
#define HOME "\"" TENANT_KIT_PROJECT "\""
#define OTHER_HOME "\"" TENANT_KIT_OTHER "\""

#define PASSWORD(id_) \
    ROW("credential", OF(id_) ",\"password_hash\":\"$x\",\"updated_at\":1,\"changes\":0")
#define PROOF(id_, organization_) \
    ROW("email_verified", OF(id_) ",\"organization_id\":\"" organization_ "\",\"verified_at\":1")
#define TOTP(id_)                                                                        \
    ROW("mfa_factor", OF(id_) ",\"secret_sealed\":\"\\\\x6b6e6f776e\",\"created_at\":1," \
                              "\"enrolled_at\":1,\"last_step\":1,\"failures\":[]")
#define RECOVERY(id_) ROW("mfa_recovery", OF(id_) ",\"code_hash\":\"\\\\x01\"")
#define PASSKEY(id_, project_)                                                                  \
    ROW("passkey",                                                                              \
        "\"id\":\"" NEW "\"," OF(                                                               \
            id_) ",\"rp_id\":\"a\",\"project_id\":" project_                                    \
                 ",\"credential_id\":\"\\\\x01\",\"user_handle\":\"\\\\x01\",\"algorithm\":-7," \
                 "\"public_key\":\"\\\\x01\",\"sign_count\":1,\"backed_up\":true,"              \
                 "\"name\":\"k\",\"created_at\":1")
#define SIGN_IN(id_, project_) \
    ROW("last_sign_in", OF(id_) ",\"project_id\":\"" project_ "\",\"at\":1")
#define INVITATION(hashes_)                                                                   \
    ROW("invitation", "\"project_id\":" HOME ",\"id\":\"" NEW "\",\"role\":\"Practitioner\"," \
                      "\"email\":\"new\",\"name\":\"N\",\"surname\":\"S\",\"admin\":false,"   \
                      "\"profile_id\":\"" NEW "\",\"invited_at\":1,\"expires_at\":9," hashes_)
#define FHIR_SERVER(project_)                                                           \
    ROW("fhir_server", "\"project_id\":" project_ ",\"id\":\"" NEW "\",\"name\":\"F\"," \
                       "\"base\":\"https://f\",\"patient_scopes\":[],"                  \
                       "\"practitioner_scopes\":[],\"created_at\":1,\"updated_at\":1")
#define PROVIDER(project_, issuer_, roles_, state_, more_)                                         \
    ROW("identity_provider",                                                                       \
        "\"project_id\":" project_ ",\"id\":\"" NEW "\",\"name\":\"I\",\"preset\":\"oidc\","       \
        "\"issuer\":\"" issuer_ "\",\"client_id\":\"c\",\"auth_method\":"                          \
        "\"client_secret_basic\",\"scopes\":\"openid\",\"trusted_for_mfa\":true,\"roles\":" roles_ \
        ",\"provisioning\":\"none\",\"enforced\":[],\"state\":\"" state_                           \
        "\",\"created_at\":1,\"updated_at\":1," more_)

static const struct {
    const char *label, *table, *row;
    const char *says; /* part of the refusal; NULL: added */
} rows[] = {
    {"a new practitioner", "account",
     PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT, NEW_MEMBER, NEW), NULL},
    {"a new patient", "account",
     PERSON(NEW, PATIENT, HOME, "new", TENANT_KIT_PROJECT, NEW_MEMBER, NEW), NULL},
    {"a practitioner of a release whose memberships had no end", "account",
     WITHOUT(PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT, NEW_MEMBER, NEW),
             ",\"end_at\":null,\"end_schedule\":null,\"end_wipe\":false,\"local_sign_in\":null,"
             "\"provisioned_by\":null"),
     NULL},
    {"a practitioner of a release without identity providers", "account",
     WITHOUT(PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT, NEW_MEMBER, NEW),
             ",\"local_sign_in\":null,\"provisioned_by\":null"),
     NULL},
    {"a practitioner with a column that no release has", "account",
     "select replace((" PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT, NEW_MEMBER,
                               NEW) ")::text, '}}', ',\"other\":1}}')",
     "are of another release"},
    {"a practitioner without a column of all releases", "account",
     WITHOUT(PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT, NEW_MEMBER, NEW),
             ",\"admin\":false"),
     "are of another release"},
    {"a patient with the address of a practitioner, or of another project's patient", "account",
     PERSON(NEW, PATIENT, HOME, "o2", TENANT_KIT_PROJECT, NEW_MEMBER, NEW), NULL},
    {"an account with the id of another tenant's patient", "account",
     PERSON(ID("3", "02"), PATIENT, HOME, "o2", TENANT_KIT_PROJECT, NEW_MEMBER, ID("3", "02")),
     "Accounts that already exist and are not members of this project: " ID("3", "02") "."},
    {"a practitioner with the id of another tenant's patient", "account",
     PERSON(ID("3", "02"), PRACTITIONER, "null", "o2", TENANT_KIT_PROJECT, NEW_MEMBER,
            ID("3", "02")),
     "Accounts that already exist and are not members of this project: " ID("3", "02") "."},
    {"a practitioner with the id of a patient and the address of a practitioner", "account",
     PERSON(ID("3", "02"), PRACTITIONER, "null", "o1", TENANT_KIT_PROJECT, NEW_MEMBER,
            ID("3", "02")),
     "Accounts whose email addresses belong to other accounts here: " ID("3", "02") "."},
    {"a patient with the id of a practitioner", "account",
     PERSON(ID("3", "01"), PATIENT, HOME, "new", TENANT_KIT_PROJECT, NEW_MEMBER, ID("3", "01")),
     "Accounts that already exist and are not members of this project: " ID("3", "01") "."},
    {"an account that joined the project here", "account",
     PERSON(ID("3", "06"), PRACTITIONER, "null", "o6", TENANT_KIT_PROJECT, NEW_MEMBER,
            ID("3", "06")),
     "do not belong to this project"},
    {"an address of one who joined the project here", "account",
     PERSON(NEW, PRACTITIONER, "null", "o6", TENANT_KIT_PROJECT, NEW_MEMBER, NEW),
     "Accounts whose email addresses belong to other accounts here: " NEW "."},
    {"an invitation with the id of a membership", "account",
     PERSON(NEW, PRACTITIONER, "null", "o1", TENANT_KIT_PROJECT, ID("1", "08"), NEW),
     "Accounts whose email addresses belong to other accounts here: " NEW "."},
    {"an invitation with the id of another", "account",
     PERSON(NEW, PRACTITIONER, "null", "o1", TENANT_KIT_PROJECT, ID("1", "31"), NEW),
     "Accounts whose email addresses belong to other accounts here: " NEW "."},
    {"an address of the project's own patient", "account",
     PERSON(NEW, PATIENT, HOME, "a1\\u00401.example", TENANT_KIT_PROJECT, NEW_MEMBER, NEW),
     "Accounts whose email addresses belong to other accounts here: " NEW "."},
    {"a patient's address that its owner may take back", "account",
     PERSON(NEW, PATIENT, HOME, "before", TENANT_KIT_PROJECT, NEW_MEMBER, NEW),
     "Accounts whose email addresses others here changed lately and can take back: " NEW},
    {"a patient of another tenant", "account",
     PERSON(NEW, PATIENT, OTHER_HOME, "new", TENANT_KIT_PROJECT, NEW_MEMBER, NEW),
     "do not belong to this project"},
    {"a membership in another tenant", "account",
     PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_OTHER, NEW_MEMBER, NEW),
     "do not belong to this project"},
    {"a membership for another account", "account",
     PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT, NEW_MEMBER, ID("3", "01")),
     "do not belong to this project"},
    {"a membership that another account has", "account",
     PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT, ID("1", "08"), NEW),
     "do not belong to this project"},

    {"a password", "credential", PASSWORD(ID("3", "05")), NULL},
    {"a password for another tenant's account", "credential", PASSWORD(ID("3", "01")),
     "Account " ID("3", "01") " is not a member of this project."},
    {"a password for a member of two tenants", "credential", PASSWORD(ID("3", "04")),
     "Account " ID("3", "04") " is also a member of another project here."},
    {"a password for an account of no tenant", "credential", PASSWORD(ID("3", "03")),
     "not a member of this project"},
    {"a password for one who joined the project here", "credential", PASSWORD(ID("3", "06")),
     "Account " ID("3", "06") " was not added here by a file of this project."},
    {"a passkey for one who joined the project here", "passkey", PASSKEY(ID("3", "06"), HOME),
     "was not added here by a file"},
    {"a password for no account", "credential", PASSWORD(NEW), "not a member of this project"},
    {"another password", "credential", PASSWORD(ID("1", "01")), "differ from existing rows"},

    {"a proof", "email_verified", PROOF(ID("3", "05"), TENANT_KIT_PROJECT), NULL},
    {"a proof for all tenants", "email_verified", PROOF(ID("3", "05"), UUID_NIL),
     "do not belong to this project"},
    {"a proof for another tenant", "email_verified", PROOF(ID("3", "05"), TENANT_KIT_OTHER),
     "do not belong to this project"},
    {"a proof of another tenant's account", "email_verified",
     PROOF(ID("3", "02"), TENANT_KIT_PROJECT), "not a member of this project"},

    {"a factor", "mfa_factor", TOTP(ID("3", "05")), NULL},
    {"a factor for another tenant's account", "mfa_factor", TOTP(ID("3", "02")),
     "not a member of this project"},
    {"a factor for a member of two tenants", "mfa_factor", TOTP(ID("3", "04")),
     "a member of another project here"},

    {"a recovery code for another tenant's account", "mfa_recovery", RECOVERY(ID("3", "02")),
     "not a member of this project"},
    {"a recovery code for a member of two tenants", "mfa_recovery", RECOVERY(ID("3", "04")),
     "a member of another project here"},
    {"a recovery code without a factor", "mfa_recovery", RECOVERY(ID("3", "05")),
     "Row 1 of mfa_recovery breaks the constraint mfa_recovery_account_id_fkey."},

    {"a passkey of the project's application", "passkey", PASSKEY(ID("3", "05"), HOME), NULL},
    {"a passkey of the installation's pages", "passkey", PASSKEY(ID("3", "05"), "null"), NULL},
    {"a passkey of another tenant's application", "passkey", PASSKEY(ID("3", "05"), OTHER_HOME),
     "do not belong to this project"},
    {"a passkey that opens the project", "passkey",
     PASSKEY(ID("3", "05"), HOME ",\"opens_id\":" HOME), NULL},
    {"a passkey of a release that did not say what it opens", "passkey",
     WITHOUT(PASSKEY(ID("3", "05"), HOME), ",\"opens_id\":null"), NULL},
    {"a passkey that opens everything", "passkey",
     PASSKEY(ID("3", "05"), HOME ",\"opens_id\":\"" UUID_NIL "\""),
     "do not belong to this project"},
    {"a passkey that opens another project", "passkey",
     PASSKEY(ID("3", "05"), HOME ",\"opens_id\":" OTHER_HOME), "do not belong to this project"},
    {"a passkey for another tenant's account", "passkey", PASSKEY(ID("3", "01"), HOME),
     "not a member of this project"},

    {"a sign-in", "last_sign_in", SIGN_IN(ID("3", "05"), TENANT_KIT_PROJECT), NULL},
    {"a sign-in to another tenant", "last_sign_in", SIGN_IN(ID("3", "05"), TENANT_KIT_OTHER),
     "do not belong to this project"},

    {"an invitation", "invitation", INVITATION("\"secret_hash\":\"\""), NULL},
    {"an invitation that breaks a rule of its table", "invitation",
     ROW("invitation", "\"project_id\":" HOME ",\"id\":\"" NEW
                       "\",\"role\":\"Patient\",\"email\":\"new\",\"name\":\"N\",\"surname\":\"S\","
                       "\"admin\":true,\"profile_id\":\"" NEW
                       "\",\"invited_at\":1,\"expires_at\":9,\"secret_hash\":\"\""),
     "Row 1 of invitation breaks the constraint invitation_check."},
    {"a sign-in without a time", "last_sign_in",
     ROW("last_sign_in", OF(ID("3", "05")) ",\"project_id\":\"" TENANT_KIT_PROJECT "\""),
     "Row 1 of last_sign_in has a value that its columns do not have."},
    {"a FHIR server", "fhir_server", FHIR_SERVER(HOME), NULL},
    {"a FHIR server of another tenant", "fhir_server", FHIR_SERVER("\"" TENANT_KIT_OTHER "\""),
     "do not belong to this project"},
    {"an identity provider", "identity_provider",
     PROVIDER(HOME, "https://i.example", "[\"patients\"]", "draft", "\"domains\":[]"), NULL},
    {"an identity provider of another tenant", "identity_provider",
     PROVIDER(OTHER_HOME, "https://i.example", "[\"patients\"]", "draft", "\"domains\":[]"),
     "do not belong to this project"},
    {"an identity provider that is active", "identity_provider",
     PROVIDER(HOME, "https://i.example", "[\"patients\"]", "disabled", "\"domains\":[]"),
     "do not belong to this project"},
    {"an identity provider with a domain", "identity_provider",
     PROVIDER(HOME, "https://i.example", "[\"patients\"]", "draft",
              "\"domains\":[\"clinic.example\"]"),
     "do not belong to this project"},
    {"an identity provider with a secret", "identity_provider",
     PROVIDER(HOME, "https://i.example", "[\"patients\"]", "draft",
              "\"domains\":[],\"secret_sealed\":\"\\\\x6b6e6f776e\""),
     "do not belong to this project"},
    {"an identity provider without TLS", "identity_provider",
     PROVIDER(HOME, "http://i.example", "[\"patients\"]", "draft", "\"domains\":[]"), "issuer"},
    {"an invitation with a link", "invitation", INVITATION("\"secret_hash\":\"\\\\x01\""),
     "do not belong to this project"},
    {"an invitation with a link of a sign-up", "invitation",
     INVITATION("\"secret_hash\":\"\",\"sign_up_hash\":\"\\\\x01\",\"sign_up_expires_at\":9"),
     "do not belong to this project"},
};

static long count_rows(const struct tenant_kit_case *self)
{
    return tenant_kit_sql(
        self, TENANT_KIT_RECEIVER,
        "select (select count(*) from account) + (select count(*) from membership) + "
        "(select count(*) from credential) + (select count(*) from email_verified) + "
        "(select count(*) from mfa_factor) + (select count(*) from mfa_recovery) + "
        "(select count(*) from passkey) + "
        "(select count(*) from last_sign_in) + (select count(*) from invitation) + "
        "(select count(*) from fhir_server) + (select count(*) from identity_provider)");
}

static void add_each_row(struct tenant_kit_case *self)
{
    UNIT_CHECK(tenant_kit_move(self, true) > 0, "%s", tenant_kit_error(self)->message);
    tenant_kit_sql(self, TENANT_KIT_RECEIVER, others);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *row = tenant_kit_text(self, TENANT_KIT_RECEIVER, rows[i].row);
        long before = count_rows(self);
        int64_t added = tenant_kit_add(self, rows[i].table, row);
        const struct error *err = tenant_kit_error(self);

        if (!rows[i].says) {
            UNIT_CHECK(added == 1, "%s: %s", rows[i].label, added < 0 ? err->message : row);
            UNIT_CHECK(tenant_kit_add(self, rows[i].table, row) == 0, "%s: again", rows[i].label);
            tenant_kit_sql(
                self, TENANT_KIT_RECEIVER,
                "delete from account where id = '" NEW "'; "
                "delete from transfer_account where account_id = '" NEW "'; "
                "delete from passkey where id = '" NEW "'; "
                "delete from invitation where id = '" NEW "'; "
                "delete from fhir_server where id = '" NEW "'; "
                "delete from identity_provider where id = '" NEW "'; "
                "delete from mfa_factor where account_id = '" ID(
                    "3",
                    "05") "'; "
                          "delete from credential where account_id = '" ID(
                              "3",
                              "05") "'; "
                                    "delete from email_verified where account_id = '" ID(
                                        "3",
                                        "05") "'; "
                                              "delete from last_sign_in where account_id = '" ID(
                                                  "3", "05") "'; "
                                                             "select 1");
            continue;
        }
        UNIT_CHECK(added < 0 && err->code == ERR_CONFLICT && strstr(err->message, rows[i].says),
                   "%s: %" PRId64 " %s", rows[i].label, added, added < 0 ? err->message : "");
        UNIT_CHECK(count_rows(self) == before, "%s: nothing is added", rows[i].label);
    }
}

static void nothing_is_added_to_other_tenants(void)
{
    tenant_kit_run(add_each_row);
}

/* The receiver already has accounts with the ids of twelve patients; the error names four of
 * them. */
static void move_known_patients(struct tenant_kit_case *self)
{
    const struct error *err = tenant_kit_error(self);
    size_t named = 0;

    tenant_kit_sql(self, TENANT_KIT_SENDER,
                   "insert into account (id, role, project_id, email, name, surname, created_at) "
                   "select id(5, i), 'Patient', '" TENANT_KIT_PROJECT "', 'k' || i, 'N', 'S', 1 "
                   "from generate_series(1, 12) i;"
                   "insert into membership (project_id, id, account_id, profile_id, created_at) "
                   "select '" TENANT_KIT_PROJECT "', id(6, i), id(5, i), id(5, i), 1 "
                   "from generate_series(1, 12) i; select 1");
    tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                   MAKE_ID "insert into account (id, role, project_id, email, name, surname, "
                           "created_at) select id(5, i), 'Patient', '" TENANT_KIT_OTHER "', "
                           "'k' || i, 'N', 'S', 1 from generate_series(1, 12) i; select 1");
    UNIT_CHECK(tenant_kit_move(self, true) < 0 && err->code == ERR_CONFLICT, "it is refused");
    for (const char *at = err->message; (at = strstr(at, "0190a005")); at++)
        named++;
    UNIT_CHECK(named == 4 && strstr(err->message, ", 8 more."), "%zu: %s", named, err->message);
    CU_ASSERT_EQUAL(count_rows(self), 12);
}

static void conflicts_are_named(void)
{
    tenant_kit_run(move_known_patients);
}

/* The receiver has the file's practitioner (0190a001...02, an admin) with another address, and
 * another account with an address of the file, both with everything that accounts can have. */
static const char known[] =
    MAKE_ID "insert into account (id, role, email, name, surname, created_at) values "
            "(id(1, 2), 'Practitioner', 'private', 'Own', 'Name', 1), "
            "(id(7, 1), 'Practitioner', 'shared', 'Own', 'Name', 1);\n"
            "insert into membership (project_id, id, account_id, profile_id, created_at) values "
            "('" TENANT_KIT_OTHER "', id(7, 11), id(1, 2), id(7, 12), 1), "
            "('" TENANT_KIT_OTHER "', id(7, 13), id(7, 1), id(7, 14), 1);\n"
            "insert into credential values (id(1, 2), 'own', 1), (id(7, 1), 'own', 1);\n"
            "insert into email_verified values (id(1, 2), '" TENANT_KIT_OTHER "', 1);\n"
            "insert into last_sign_in values (id(1, 2), '" TENANT_KIT_OTHER "', 1);\n"
            "create table as_it_was as " ALL_OF_THEM ";\n"
            "select 1";

/* The file has an account whose address the receiver has, and one with a reserved former address.
 * Both have passwords; the sender also invited the first. */
static const char shared[] =
    "insert into account (id, role, email, name, surname, created_at) select id(5, i), "
    "'Practitioner', case i when 1 then 'shared' else 'before' end, 'F', 'S', 1 "
    "from generate_series(1, 2) i;\n"
    "insert into membership (project_id, id, account_id, profile_id, policy_id, created_at) "
    "select '" TENANT_KIT_PROJECT "', id(5, 10 + i), id(5, i), id(5, 20 + i), id(5, 30 + i), 1 "
    "from generate_series(1, 2) i;\n"
    "insert into credential select id(5, i), 'of the file', 1 from generate_series(1, 2) i;\n"
    "insert into passkey select id(5, 40 + i), id(5, i), 'a', null, int4send(i), '\\x01', -7, "
    "'\\x01', 1, true, 'k', 1, null from generate_series(1, 2) i;\n"
    "insert into invitation (project_id, id, role, email, name, surname, admin, profile_id, "
    "invited_at, secret_hash, expires_at) values ('" TENANT_KIT_PROJECT "', id(5, 51), "
    "'Practitioner', 'shared', 'F', 'S', true, id(5, 52), 1, '', 1);\n"
    "select 1";

static void check_invited(const struct tenant_kit_case *self, const char *label)
{
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                              "select count(*) from invitation i join (values "
                              "(id(1, 7), 'a2' || chr(64) || '1.example', id(1, 12), null::uuid), "
                              "(id(5, 11), 'shared', id(5, 21), id(5, 31)), "
                              "(id(5, 12), 'before', id(5, 22), id(5, 32))) x (id, e, p, a) "
                              "on i.id = x.id and i.email = x.e and i.profile_id = x.p and "
                              "i.policy_id is not distinct from x.a where i.project_id = "
                              "'" TENANT_KIT_PROJECT "' and not i.admin and i.invited_by is null "
                              "and i.secret_hash = '' and i.sign_up_hash is null") == 3,
               "%s: each is invited, as what the file says, without rights of an admin", label);
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                              "select count(*) from ((" ALL_OF_THEM
                              ") except table as_it_was) x") == 0 &&
                   tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                  "select count(*) from (table as_it_was except (" ALL_OF_THEM
                                  ")) x") == 0,
               "%s: what the receiver had is as it was", label);
    UNIT_CHECK(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                              "select (select count(*) from account where id in (id(5, 1), id(5, "
                              "2))) + (select count(*) from passkey) + (select count(*) from "
                              "mfa_recovery) + (select count(*) from credential where "
                              "password_hash = 'of the file') + (select count(*) from membership "
                              "where id in (id(1, 7), id(5, 11), id(5, 12)))") == 0,
               "%s: nothing of theirs is added", label);
}

static void seed_shared(struct tenant_kit_case *self)
{
    tenant_kit_sql(self, TENANT_KIT_SENDER, shared);
    tenant_kit_sql(self, TENANT_KIT_RECEIVER, known);
    tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                   "insert into email_undo values (id(7, 80), id(7, 1), 'Practitioner', null, "
                   "'before', '\\x01', '" TENANT_KIT_OTHER "', false, '{}', 1, 9); select 1");
}

static void invite_known(struct tenant_kit_case *self)
{
    seed_shared(self);
    UNIT_CHECK(tenant_kit_move(self, true) > 3, "%s", tenant_kit_error(self)->message);
    check_invited(self, "at once");
    UNIT_CHECK(tenant_kit_move(self, false) == 0, "again: %s", tenant_kit_error(self)->message);
    check_invited(self, "again");
    CU_ASSERT_EQUAL(
        tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                       "select count(*) from audit where event->>'action' = 'invitation.create'"),
        3);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from transfer_account where invited"),
                    3);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from transfer_account where invited and admin"),
                    1);
}

static void practitioners_whom_the_receiver_knows_are_invited(void)
{
    tenant_kit_run(invite_known);
}

/* When owners have answered their invitations, a continued import keeps the answers. */
static void go_on_behind_answers(struct tenant_kit_case *self)
{
    long members;

    seed_shared(self);
    UNIT_CHECK(tenant_kit_move(self, true) > 3, "%s", tenant_kit_error(self)->message);
    tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                   "delete from invitation where id = id(5, 12);\n" /* withdrawn */
                   "delete from invitation where id in (id(1, 7), id(5, 11));\n"
                   "insert into membership (project_id, id, account_id, profile_id, created_at) "
                   "values ('" TENANT_KIT_PROJECT "', id(1, 7), id(1, 2), id(1, 12), 2), "
                   "('" TENANT_KIT_PROJECT "', id(5, 11), id(7, 1), id(5, 21), 2);\n"
                   "delete from membership where id in (id(7, 11), id(7, 13));\n"
                   "select 1");
    members = tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from membership");
    UNIT_CHECK(tenant_kit_move(self, false) >= 0, "%s", tenant_kit_error(self)->message);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from membership"),
                    members);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from invitation where id in (id(1, 7), "
                                   "id(5, 11), id(5, 12))"),
                    0);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from passkey"), 0);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from credential where password_hash = 'own'"),
                    2);
}

static void an_answered_invitation_stays_answered(void)
{
    tenant_kit_run(go_on_behind_answers);
}

/* The import is interrupted after each part of the file. Accounts that are made here meanwhile are
 * not the file's; rows that an earlier part added are. */
static void go_on_beside_new_accounts(struct tenant_kit_case *self)
{
    tenant_kit_sql(self, TENANT_KIT_SENDER, shared);
    tenant_kit_sql(self, TENANT_KIT_RECEIVER, MAKE_ID "select 1");
    UNIT_CHECK(tenant_kit_add(self, "account",
                              tenant_kit_text(self, TENANT_KIT_SENDER, ACCOUNT_ROW("5", "1"))) == 1,
               "%s", tenant_kit_error(self)->message);
    tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                   "insert into account (id, role, email, name, surname, created_at) values "
                   "(id(7, 1), 'Practitioner', 'before', 'Own', 'Name', 1); select 1");
    UNIT_CHECK(tenant_kit_move(self, false) > 3, "%s", tenant_kit_error(self)->message);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from transfer_account where invited and "
                                   "account_id = id(5, 2)"),
                    1);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from transfer_account where invited"),
                    1);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from credential where account_id = id(5, 1)"),
                    1);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from passkey where account_id = id(5, 1)"),
                    1);
}

static void what_a_file_has_added_is_known_from_other_accounts(void)
{
    tenant_kit_run(go_on_beside_new_accounts);
}

struct joining {
    struct tenant_kit_case *kit;
    PGconn *conn;
};

static void commit_later(void *arg)
{
    const struct joining *self = arg;
    struct error err;

    error_init(&err, NULL);
    UNIT_CHECK(fiber_sleep_until(tenant_kit_loop(self->kit), clock_mono_ms() + WAIT_MS, &err) == 0,
               "%s", err.message);
    PQclear(PQexec(self->conn, "commit"));
}

static void join_meanwhile(struct tenant_kit_case *self)
{
    struct joining joining = {self, tenant_kit_connect(self, TENANT_KIT_RECEIVER)};
    int64_t from_ms = clock_mono_ms();
    struct error err;

    error_init(&err, NULL);
    tenant_kit_sql(self, TENANT_KIT_RECEIVER, others);
    PQclear(PQexec(joining.conn,
                   "begin; insert into membership (project_id, id, account_id, profile_id, "
                   "created_at) values ('" TENANT_KIT_OTHER
                   "', id(3, 99), id(3, 5), id(3, 1), 1)"));
    UNIT_CHECK(PQtransactionStatus(joining.conn) == PQTRANS_INTRANS, "%s",
               PQerrorMessage(joining.conn));
    UNIT_CHECK(fiber_start(tenant_kit_loop(self), commit_later, &joining, &err) == 0, "%s",
               err.message);
    UNIT_CHECK(tenant_kit_add(self, "mfa_factor",
                              tenant_kit_text(self, TENANT_KIT_RECEIVER, TOTP(ID("3", "05")))) < 0,
               "the factor is added");
    UNIT_CHECK(clock_mono_ms() - from_ms >= WAIT_MS, "it has waited for the membership");
    UNIT_CHECK(strstr(tenant_kit_error(self)->message, "a member of another project here"), "%s",
               tenant_kit_error(self)->message);
    PQfinish(joining.conn);
}

/* The import waits for an account that is being made, and then invites its owner. */
static void take_the_address_meanwhile(struct tenant_kit_case *self)
{
    struct joining joining = {self, tenant_kit_connect(self, TENANT_KIT_RECEIVER)};
    const char *row = tenant_kit_text(self, TENANT_KIT_RECEIVER,
                                      PERSON(NEW, PRACTITIONER, "null", "new", TENANT_KIT_PROJECT,
                                             NEW_MEMBER, NEW));
    int64_t from_ms = clock_mono_ms();
    struct error err;

    error_init(&err, NULL);
    PQclear(PQexec(joining.conn,
                   "begin; insert into account (id, role, email, name, surname, created_at) values "
                   "('" NEW_MEMBER "', 'Practitioner', 'new', 'N', 'S', 1)"));
    UNIT_CHECK(PQtransactionStatus(joining.conn) == PQTRANS_INTRANS, "%s",
               PQerrorMessage(joining.conn));
    UNIT_CHECK(fiber_start(tenant_kit_loop(self), commit_later, &joining, &err) == 0, "%s",
               err.message);
    UNIT_CHECK(tenant_kit_add(self, "account", row) == 1, "%s", tenant_kit_error(self)->message);
    UNIT_CHECK(clock_mono_ms() - from_ms >= WAIT_MS, "it has waited for the account");
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from account where id = '" NEW_MEMBER "'"),
                    1);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from account"), 1);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from membership"),
                    0);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from invitation where id = '" NEW_MEMBER
                                   "' and email = 'new'"),
                    1);
    PQfinish(joining.conn);
}

static void who_makes_an_account_meanwhile_is_invited(void)
{
    tenant_kit_run(take_the_address_meanwhile);
}

static void an_account_that_joins_another_tenant_meanwhile_gets_nothing(void)
{
    tenant_kit_run(join_meanwhile);
}

/* A practitioner of both projects, verified for all tenants and for each, with passkeys of each. */
static void move_a_member_of_two(struct tenant_kit_case *self)
{
    tenant_kit_sql(self, TENANT_KIT_SENDER,
                   "insert into membership (project_id, id, account_id, profile_id, created_at) "
                   "values ('" TENANT_KIT_OTHER "', id(4, 1), id(1, 2), id(1, 2), 1);\n"
                   "insert into email_verified values (id(1, 2), '" UUID_NIL "', 1), "
                   "(id(1, 2), '" TENANT_KIT_OTHER "', 0);\n"
                   "update passkey set project_id = '" TENANT_KIT_OTHER "' where id = id(1, 22);\n"
                   "insert into last_sign_in values (id(1, 2), '" TENANT_KIT_OTHER "', 9);\n"
                   "select 1");
    UNIT_CHECK(tenant_kit_move(self, false) > 0, "%s", tenant_kit_error(self)->message);
    CU_ASSERT_EQUAL(
        tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                       "select count(*) from membership where project_id <> '" TENANT_KIT_PROJECT
                       "'"),
        0);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select verified_at from email_verified where account_id = '" ID(
                                       "1", "02") "' and organization_id = '" TENANT_KIT_PROJECT
                                                  "'"),
                    1);
    CU_ASSERT_EQUAL(
        tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from email_verified"), 3);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from passkey"), 2);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from last_sign_in"),
                    3);
}

static void what_a_member_has_of_other_tenants_stays(void)
{
    tenant_kit_run(move_a_member_of_two);
}

static void lose_the_place(struct tenant_kit_case *self)
{
    UNIT_CHECK(tenant_kit_read_behind(self, "credential",
                                      "{\"account_id\":\"" ID("1", "02") "\"}") == 1,
               "%s", tenant_kit_error(self)->message);
    tenant_kit_sql(self, TENANT_KIT_SENDER, "delete from membership where account_id = id(1, 2)");
    UNIT_CHECK(tenant_kit_read_behind(self, "credential",
                                      "{\"account_id\":\"" ID("1", "02") "\"}") < 0 &&
                   tenant_kit_error(self)->code == ERR_CONFLICT,
               "%s", tenant_kit_error(self)->message);
}

static void an_account_that_leaves_while_it_is_read_is_told(void)
{
    tenant_kit_run(lose_the_place);
}

static void move_many(struct tenant_kit_case *self)
{
    int64_t rows_sent;

    tenant_kit_sql(self, TENANT_KIT_SENDER,
                   "insert into account (id, role, project_id, email, name, surname, created_at) "
                   "select id(5, i), 'Patient', '" TENANT_KIT_PROJECT "', 'm' || i, 'N', 'S', 1 "
                   "from generate_series(1, 1500) i;\n"
                   "insert into membership (project_id, id, account_id, profile_id, created_at) "
                   "select '" TENANT_KIT_PROJECT "', gen_random_uuid(), id, id, 1 from account "
                   "where created_at = 1;\n"
                   "insert into credential select id, 'x', 1 from account where created_at = 1;\n"
                   "insert into passkey select gen_random_uuid(), id, 'a', null, "
                   "uuid_send(gen_random_uuid()), '\\x01', -7, '\\x01', 1, true, 'k', 1, null "
                   "from account, generate_series(1, 2) where created_at = 1;\n"
                   "insert into email_verified select id, '" UUID_NIL "', 1 from account "
                   "where created_at = 1 and email like '%7';\n"
                   "select 1");
    rows_sent = tenant_kit_move(self, true);
    UNIT_CHECK(rows_sent > 4 * MANY, "%" PRId64 " %s", rows_sent, tenant_kit_error(self)->message);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from account join membership on account_id = "
                                   "account.id join credential using (account_id)"),
                    MANY + 3);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER, "select count(*) from passkey"),
                    2 * MANY + 3);
    CU_ASSERT_EQUAL(tenant_kit_sql(self, TENANT_KIT_RECEIVER,
                                   "select count(*) from email_verified"),
                    MANY / 10 + 3);
    CU_ASSERT_EQUAL(tenant_kit_move(self, true), 0);
}

static void more_accounts_than_a_page_has_come_over(void)
{
    tenant_kit_run(move_many);
}

static const struct unit_case cases[] = {
    CASE(nothing_is_added_to_other_tenants),
    CASE(practitioners_whom_the_receiver_knows_are_invited),
    CASE(an_answered_invitation_stays_answered),
    CASE(what_a_file_has_added_is_known_from_other_accounts),
    CASE(conflicts_are_named),
    CASE(who_makes_an_account_meanwhile_is_invited),
    CASE(an_account_that_joins_another_tenant_meanwhile_gets_nothing),
    CASE(what_a_member_has_of_other_tenants_stays),
    CASE(an_account_that_leaves_while_it_is_read_is_told),
    CASE(more_accounts_than_a_page_has_come_over),
    {.fn = NULL},
};

static const char *const further[] = {"membership", NULL};

/* Pushed requests expire within minutes; audit places also prove acts on deleted objects. */
static const char *const unpurged[] = {"oauth_pushed", "trail_place", "trail_sign_in",
                                       "trail_tile",   "trail_tree",  NULL};

static const struct tenant_kit kit = {
    .unpurged = unpurged,
    .further = further,
    .migrations = authd_migrations,
    .sql = authd_sql,
    .tables = authd_tenant_tables,
    .seed = seed,
    .arrives = "select count(*) from mfa_factor, import_state, membership m join account a on "
               "a.id = m.account_id and (a.role = 'Practitioner') = m.admin where changed_at > 0 "
               "and position('known' in secret_sealed) = 0 and not exists (select from invitation "
               "where secret_hash <> '' or sign_up_hash is not null) and not exists (select from "
               "email_verified where organization_id <> '" TENANT_KIT_PROJECT "') and "
               "(select count(*) from mfa_recovery) = 3 having count(*) = 6",
    .opens = "update mfa_factor set last_step = 9, failures = '{}'; update passkey set "
             "sign_count = 7, name = 'mine', last_used_at = 8; update last_sign_in set at = 99; "
             "update invitation set secret_hash = '\\x01', expires_at = 99, invited_by = id; "
             "update mfa_recovery set used_at = 9",
    .conflict = "update account set name = 'other'",
    .account = ID("1", "02"),
    .other_account = ID("2", "02"),
    .cases = cases,
};

int main(void)
{
    return tenant_kit_main("authd tenant", &kit);
}
