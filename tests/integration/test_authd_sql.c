/*
 * test_authd_sql.c - authd's statements on a real server: prepared, planned on the right indexes,
 * and with the locks that throttle and leases rely on.
 */
#include <CUnit/CUnit.h>
#include <jansson.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "authd/sql/import.h"
#include "authd/sql/trail.h"
#include "authd/sql_part.h"
#include "tests/support/plans.h"
#include "tests/support/unit.h"

#define ONE "11111111-1111-4111-8111-111111111111"
#define TWO "22222222-2222-4222-8222-222222222222"
#define ZERO "00000000-0000-0000-0000-000000000000"

extern const struct db_migration authd_migrations[];

static struct pg *server;

static void run(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%.60s: %s", sql, PQerrorMessage(conn));
    PQclear(result);
}

static const struct plans plans = {
    .schema = "auth",
    .migrations = authd_migrations,
    .sql = {authd_sql, service_audit_sql, service_check_sql, service_outbox_sql, service_probe_sql,
            service_purge_sql},
    .small = "pg_namespace pg_database schema_migration change_counter signing_key issuer_key "
             "gateway_lease audit_head audit_gap email_scan trail_source trail_key "
             "project_hold",
    .emptied = "smart_launch, "
               "login, mfa_pending, password_reset, email_link, email_undo, invitation, throttle, "
               "known_address, change, last_sign_in, oauth_pushed, oauth_code, "
               "oauth_device, "
               "logout_delivery, outbox",
    .blocking = "0002_password 0005_membership 0007_deletion",
};

static PGconn *open_prepared(void)
{
    return plans_open(&plans, server);
}

#define EXECUTE(conn_, statement_, ...)                          \
    execute((conn_), #statement_, (const char *[]){__VA_ARGS__}, \
            (int)ARRAY_SIZE(((const char *[]){__VA_ARGS__})))

/* Returns the first value as a number (-1: no row, -2: null), or the number of written rows. */
static long execute(PGconn *conn, const char *name, const char *const *params, int count)
{
    PGresult *result = PQexecPrepared(conn, name, count, params, NULL, NULL, 0);
    long value = -1;

    UNIT_CHECK(PQresultStatus(result) == PGRES_COMMAND_OK ||
                   PQresultStatus(result) == PGRES_TUPLES_OK,
               "%s: %s", name, PQresultErrorMessage(result));
    if (PQnfields(result) == 0)
        value = strtol(PQcmdTuples(result), NULL, 10);
    else if (PQntuples(result) > 0)
        value = PQgetisnull(result, 0, 0) ? -2 : strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return value;
}

static void test_the_schema_is_made(void)
{
    plans_make_schema(&plans, server);
    CU_ASSERT_EQUAL(pg_exec(server, "select sequence from auth.change_counter"), 0);
}

static void test_every_statement_prepares_with_its_parameters(void)
{
    PGconn *conn = open_prepared();

    PQfinish(conn);
}

static const struct {
    const char *statement, *want;
} hot[] = {
    {"refresh_state", "Index Cond: ((project_id = w.project_id) AND (id = w.id))"},
    {"refresh_state", "Index Cond: ((project_id = s.project_id) AND (id = s.membership_id))"},
    {"session_proof_get", "Index Scan using session_pkey on session\n"},
    {"session_proof_get", "Index Cond: ((project_id = $1) AND (id = $2))"},
    {"session_proof_get", "Index Scan using account_session_pkey on account_session"},
    {"session_prove", "Index Scan using session_pkey on session\n"},
    {"standing_get", "Index Cond: ((account_id = $1) AND (project_id = $2))"},
    {"identity_get", "Index Scan using session_pkey on session s\n"
                     "          Index Cond: ((project_id = $2) AND (id = $1))"},
    {"identity_get", "Index Cond: ((project_id = $2) AND (id = $3))"},
    {"me_get", "Index Cond: ((project_id = $2) AND (account_id = a.id))"},
    {"me_get", "Limit\n"
               "        ->  Index Scan Backward using session_account on session s"},
    {"me_session", "Index Scan using session_pkey on session s\n"},
    {"session_list", "Index Cond: ((project_id = $2) AND (account_id = $3))"},
    {"session_list", "Index Scan using oauth_grant_pkey on oauth_grant g"},
    {"session_end", "Index Cond: ((project_id = $4) AND (account_id = $5))"},
    {"session_end", "Index Scan using oauth_grant_parent on oauth_grant"},
    {"refresh_state", "Index Scan using oauth_grant_pkey on oauth_grant"},
    {"refresh_state", "Index Cond: ((project_id = s.project_id) AND (id = oauth_grant.parent_id))"},
    {"oauth_code_get", "Index Scan using oauth_code_pkey on oauth_code\n"},
    {"oauth_code_redeem", "Index Scan using session_pkey on session s"},
    {"oauth_code_redeem", "Index Scan using oauth_code_pkey on oauth_code"},
    {"oauth_grant_get", "Index Scan using oauth_grant_pkey on oauth_grant g"},
    {"grant_parent_get", "Index Scan using oauth_grant_pkey on oauth_grant g"},
    {"grant_parent_get", "Index Scan using session_pkey on session s"},
    {"userinfo_get", "Index Scan using oauth_grant_pkey on oauth_grant"},
    {"userinfo_get", "Index Scan using session_pkey on session"},
    {"logout_drop", "Index Scan using logout_delivery_pkey on logout_delivery"},
    {"oauth_consent_get", "Index Scan using oauth_consent_pkey on oauth_consent c"},
    {"oauth_consent_get", "oauth_consent_resource_pkey on oauth_consent_resource r"},
    {"oauth_consent_delete", "Index Scan using oauth_device_account on oauth_device"},
    {"oauth_pushed_get", "Index Scan using oauth_pushed_pkey on oauth_pushed"},
    {"oauth_device_find", "Index Scan using oauth_device_user on oauth_device"},
    {"oauth_device_decide", "Index Scan using oauth_device_user on oauth_device"},
    {"oauth_device_get", "Index Scan using oauth_device_pkey on oauth_device"},
    {"oauth_device_poll", "Index Scan using oauth_device_pkey on oauth_device"},
    {"oauth_device_poll", "Index Scan using session_pkey on session s"},
    {"smart_launch_get", "Index Scan using smart_launch_pkey on smart_launch"},
    {"smart_launch_create", "Index Scan using membership_profile on membership"},
    {"smart_launch_create", "smart_launch_account"},
    {"oauth_code_create", "Index Scan using smart_launch_pkey on smart_launch"},
    {"fhir_server_find", "Index Scan using fhir_server_base on fhir_server"},
    {"session_end_surplus", "session_account on session s"},
    {"sign_in", "session_account on session s"},
    {"login_spend", "session_account on session s"},
    {"email_is_taken", "Index Cond: (email = $1)"},
    {"candidate_find_patient", "Index Cond: ((account_id = a.id) AND (project_id = a.project_id))"},
    {"login_get", "Index Scan using login_code on login l"},
    {"login_spend", "Index Scan using login_pkey on login\n"},
    {"login_spend", "Index Cond: ((account_id = login.account_id) AND (project_id = $2))"},
    {"sign_in", "Index Cond: ((account_id = $1) AND (project_id = $2))"},
    {"sign_in", "Index Scan using credential_pkey on credential c\n"},
    {"login_create", "Index Scan using credential_pkey on credential c\n"},
    {"password_link_get", "Index Scan using password_reset_id_key on password_reset\n"},
    {"password_link_get", "Index Scan using invitation_link on invitation"},
    {"invitation_find_pending", "Index Cond: ((project_id = $1) AND (role = $2) AND (email = $3))"},
    {"invitation_get", "Index Scan using invitation_link on invitation"},
    {"invitation_send", "Index Scan using invitation_link on invitation"},
    {"invitation_send_sign_up", "Index Scan using invitation_link on invitation"},
    {"invitation_show", "Index Scan using invitation_link on invitation"},
    {"invitation_show", "Index Cond: ((project_id = i.project_id) AND (id = i.invited_by))"},
    {"invitation_lock", "Index Scan using invitation_link on invitation"},
    {"invitation_account", "Index Scan using account_practitioner on account a"},
    {"invitation_account", "Index Cond: ((project_id = $5) AND (email = $3))"},
    {"invitation_spend_sign_up", "Index Scan using invitation_link on invitation"},
    {"invitation_create_account", "Index Scan using invitation_link on invitation"},
    {"invitation_spend", "Index Scan using invitation_link on invitation"},
    {"member_list", "Index Scan using membership_pkey on membership m"},
    {"member_list", "Index Cond: (id = m.account_id)"},
    {"member_get", "Index Cond: ((project_id = $2) AND (id = $3))"},
    {"member_find_invitee", "Index Scan using account_practitioner on account a"},
    {"member_find_invitee", "Index Cond: ((project_id = $1) AND (email = $4))"},
    {"admin_lock_all", "membership_admin"},
    {"admin_lock_all", "((project_id = $1) AND (id = ANY ($0)))"},
    {"admin_is_last", "membership_admin"},
    {"session_end_account", "Index Scan using session_owner on session s\n"
                            "                Index Cond: (account_id = $3)"},
    {"session_end_account", "Sort Key: session.id\n"
                            "                              ->  Index Scan using session_owner"},
    {"refresh_state", "Index Cond: (id = s.account_id)"},
    {"identity_get", "Index Scan using account_pkey on account a"},
    {"session_end_get", "Index Scan using session_pkey on session"},
    {"login_get", "Index Cond: (id = l.account_id)"},
    {"login_create", "Index Scan using account_pkey on account a"},
    {"candidate_of_login", "Index Scan using login_pkey on login\n"},
    {"login_spend", "Index Scan using account_pkey on account a\n"
                    "                            Index Cond: (id = c.account_id)"},
    {"login_spend", "Index Scan using account_pkey on account a_1\n"
                    "                      Index Cond: (id = s_2.account_id)"},
    {"sign_in", "Index Scan using account_pkey on account a\n"
                "                      Index Cond: (id = s_2.account_id)"},
    {"account_find_patient", "Index Scan using account_patient on account a"},
    {"account_find_practitioner", "Index Scan using account_practitioner on account a"},
    {"candidate_find_practitioner", "Index Scan using account_practitioner on account a"},
    {"account_find_by_email", "Bitmap Index Scan on account_email"},
    {"user_find", "Index Cond: (id = $2)"},
    {"user_find", "account_email"},
    {"user_memberships", "Index Cond: (account_id = $2)"},
    {"user_memberships", "session_account on session s"},
    {"user_list", "Index Scan using account_by_email on account a"},
    {"user_list_locked", "Index Scan using account_locked on account a"},
    {"user_list_of_project", "Index Scan using membership_pkey on membership"},
    {"user_list_of_project", "Index Scan using account_pkey on account a"},
    {"project_account_list", "Index Scan using membership_pkey on membership m"},
    {"project_account_list", "Index Scan using account_pkey on account\n"},
    {"project_account_list_inactive", "membership_locked on membership m"},
    {"project_account_list_inactive", "account_not_active on account a"},
    {"project_account_list_inactive", "account_not_active on account a_1"},
    {"project_account_search", "member_search_key on member_search n"},
    {"project_account_search", "member_search_pkey on member_search n_1"},
    {"project_account_list_admins", "membership_admin on membership m"},
    {"project_account_list_of_policy", "membership_policy_id on membership m"},
    {"project_account_list_by_name", "member_order_name on member_order"},
    {"project_account_list_newest", "member_order_membership on member_order"},
    {"invitation_list", "invitation_project_id_role_email_key on invitation i"},
    {"member_search_due_list", "member_search_due_pkey on member_search_due"},
    {"member_search_write", "member_search_due_pkey on member_search_due"},
    {"tenant_page_account", "Index Scan using membership_pkey on membership m\n"},
    {"tenant_page_credential", "Index Cond: ((project_id = $1) AND (id > $2))"},
    {"tenant_page_email_verified", "Index Cond: ((project_id = $1) AND (id > $2))"},
    {"tenant_page_mfa_factor", "Index Cond: ((project_id = $1) AND (id > $2))"},
    {"tenant_page_last_sign_in", "Index Cond: ((project_id = $1) AND (id > $2))"},
    {"tenant_page_passkey", "Index Cond: ((project_id = $1) AND (id >= $2)"},
    {"tenant_place", "Index Cond: ((account_id = ((($1)::json ->> 'account_id'::text))::uuid)"},
    {"tenant_account_lock", "Bitmap Index Scan on account_pkey"},
    {"tenant_account_conflict", "Index Scan using account_practitioner on account a"},
    {"tenant_account_conflict", "Index Scan using account_patient on account a"},
    {"tenant_account_conflict", "email_undo_email"},
    {"tenant_account_conflict", "membership_account on membership m"},
    {"tenant_account_conflict", "transfer_account_pkey on transfer_account n"},
    {"tenant_account_rows", "transfer_account_pkey on transfer_account n"},
    {"tenant_account_invited", "transfer_account_pkey on transfer_account n"},
    {"tenant_invited_list", "Index Scan using transfer_account_invited on transfer_account t"},
    {"tenant_insert_account", "transfer_account_pkey on transfer_account n"},
    {"tenant_insert_invitation", "transfer_account_invited on transfer_account t"},
    {"tenant_insert_invitation", "invitation_project_id_role_email_key on invitation i"},
    {"tenant_invite_account", "email_undo_email"},
    {"tenant_invite_account", "account_practitioner on account"},
    {"tenant_invite_account", "membership_account on membership"},
    {"tenant_account_foreign", "transfer_account_pkey on transfer_account n"},
    {"tenant_account_foreign", "Bitmap Index Scan on membership_account"},
    {"tenant_insert_account", "Index Scan using account_pkey on account a"},
    {"tenant_insert_account", "Index Scan using membership_pkey on membership m"},
    {"member_lock", "Index Scan using membership_pkey on membership\n"},
    {"member_unlock", "Index Scan using membership_pkey on membership\n"},
    {"project_account_find", "Index Scan using account_pkey on account a"},
    {"project_account_find", "Index Cond: ((account_id = a.id) AND (project_id = $2))"},
    {"project_account_session_list", "session_account on session s"},
    {"project_account_session_list", "oauth_grant_pkey on oauth_grant g"},
    {"grant_list_of_client", "oauth_grant_client"},
    {"grant_list_at_resource", "oauth_grant_resource"},
    {"grant_end", "Index Scan using session_pkey on session"},
    {"email_link_get", "Index Scan using email_link_id_key on email_link"},
    {"email_verify", "Index Scan using email_link_id_key on email_link"},
    {"email_change_redeem", "Index Scan using email_link_id_key on email_link"},
    {"email_change", "Index Scan using account_pkey on account"},
    {"email_is_available", "Index Scan using account_pkey on account a"},
    {"email_undo_get", "Index Scan using email_undo_pkey on email_undo"},
    {"email_undo_redeem", "Index Scan using email_undo_pkey on email_undo"},
    {"email_undo_delete", "email_undo_account"},
    {"email_claim", "Index Scan using account_pkey on account"},
    {"deletion_abort", "Index Scan using account_pkey on account"},
    {"factor_reset", "Index Scan using mfa_factor_pkey on mfa_factor"},
    {"deletion_begin", "Index Scan using account_pkey on account a"},
    {"deletion_schedule", "Index Scan using account_pkey on account"},
    {"deletion_queue", "Update on change_counter"},
    {"deletion_get", "Index Scan using account_pkey on account a"},
    {"deletion_remind", "Index Scan using account_pkey on account"},
    {"deletion_delete_reset", "Index Scan using password_reset_pkey on password_reset r"},
    {"deletion_lock", "Index Scan using account_pkey on account"},
    {"deletion_lock_memberships", "membership_account"},
    {"factor_get", "Index Scan using mfa_pending_"},
    {"factor_pending_lock", "Index Scan using mfa_pending_"},
    {"factor_pending_fail", "Index Scan using mfa_pending_pkey on mfa_pending"},
    {"factor_pending_delete", "mfa_pending_account"},
    {"factor_enroll", "Index Scan using mfa_pending_pkey on mfa_pending"},
    {"factor_enroll", "Index Scan using session_pkey on session"},
    {"factor_delete", "Index Scan using mfa_factor_pkey on mfa_factor"},
    {"credential_delete", "Index Scan using credential_pkey on credential"},
    {"login_delete_all", "login_owner"},
    {"account_delete", "Index Scan using account_pkey on account"},
    {"admin_list_projects", "membership_account"},
    {"account_row_lock", "Index Scan using account_pkey on account"},
    {"throttle_state", "Index Scan using known_address_pkey on known_address"},
    {"login_create", "Index Scan using known_address_pkey on known_address known_address_1"},
    {"login_spend", "Index Scan using known_address_pkey on known_address"},
    {"throttle_state", "Index Scan using throttle_pkey on throttle t"},
    {"change_since", "Index Scan using change_pkey on change"},
    {"address_key_get", "Index Scan using account_address_key_pkey on account_address_key"},
    {"address_key_make", "Index Scan using account_pkey on account"},
    {"address_key_list", "Index Scan using account_address_key_pkey on account_address_key"},
    {"identity_get", "Index Scan using account_address_key_pkey on account_address_key"},
    {"trail_tree_get", "Index Scan using trail_tree_pkey on trail_tree"},
    {"trail_tree_list", "Index Scan using trail_tree_pkey on trail_tree"},
    {"trail_tile_list", "Index Scan using trail_tile_pkey on trail_tile"},
    {"trail_edge_list", "Index Scan using trail_tile_pkey on trail_tile"},
    {"trail_leaf_list", "Index Scan Backward using trail_tile_pkey on trail_tile"},
    {"trail_top_get", "Index Scan using trail_tile_pkey on trail_tile"},
    {"trail_person_find", "Index Scan using membership_account on membership"},
    {"trail_person_find", "Index Scan using membership_profile on membership"},
    {"trail_place_find", "Index Scan using trail_tile_pkey on trail_tile t"},
    {"trail_place_find", "Index Scan Backward using trail_place_pkey on trail_place"},
};

static void check_hot(const char *settings)
{
    PGconn *conn = open_prepared();
    char plan[8192];

    run(conn, "set plan_cache_mode = force_generic_plan");
    run(conn, settings);
    for (size_t i = 0; i < ARRAY_SIZE(hot); i++) {
        const struct db_statement *statement = plans_find(&plans, hot[i].statement);

        plans_explain(conn, statement, plan, sizeof(plan));
        UNIT_CHECK(strstr(plan, hot[i].want) != NULL, "%s should have \"%s\":\n%s", statement->name,
                   hot[i].want, plan);
        UNIT_CHECK(!plans_scan_whole(&plans, plan), "%s reads a table from end to end:\n%s",
                   statement->name, plan);
    }
    PQfinish(conn);
}

/* Prepared statements keep plans that were made before the tables were analyzed. These plans must
 * be good even without the daemons' settings. */
static void test_hot_statements_are_planned_on_their_keys(void)
{
    check_hot("set enable_seqscan = on");
}

/* Partial indexes have only unsealed audit rows, imported hashes, old passkeys and active
 * providers. doctor counts all passkeys. Invited members are read in id order as long as the table
 * is not analyzed. */
static void test_every_statement_has_its_index(void)
{
    plans_check(&plans, server,
                "enforced_project_list "
                "audit_waiting audit_unsealed audit_state outbox_oldest member_list "
                "scim_user_count scim_user_list "
                "passkey_count passkey_opens_unknown password_mixture member_search_due_list "
                "provider_issuer_list");
    check_hot("set enable_seqscan = off"); /* also of emptied tables */
}

static void test_five_registrations_in_any_sixty_seconds(void)
{
    static const struct {
        const char *now;
        long want; /* hits in the window; -1: refused */
    } rows[] = {
        {"1000", 1},   {"2000", 2},   {"3000", 3},  {"4000", 4},   {"5000", 5},
        {"6000", -1},  {"60999", -1}, {"61000", 5}, {"61001", -1}, {"62000", 5},
        {"62001", -1}, {"500", 1}, /* hits over a window ahead: the clock was set back */
    };
    PGconn *conn = open_prepared();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (i == 11)
            run(conn,
                "update throttle set hits = array[9000000, 9000001, 9000002, 9000003, 9000004]");
        UNIT_CHECK(EXECUTE(conn, throttle_admit, "\\x01", rows[i].now, "60000", "5") ==
                       rows[i].want,
                   "at %s", rows[i].now);
    }
    PQfinish(conn);
}

static void test_failures_are_counted_the_newest_hundred_kept(void)
{
    PGconn *conn = open_prepared();
    char now[32];

    for (int i = 1; i <= 130; i++) {
        snprintf(now, sizeof(now), "%d", 1000000 + i);
        UNIT_CHECK(EXECUTE(conn, throttle_fail, ONE, now, NULL, "{}", now,
                           "{\\\\x0a,\\\\x0b,\\\\x0c}", "{86400000,900000,900000}", "900000",
                           "{\\\\x0d}", "{900000}") == (i > 101 ? 101 : i),
                   "failure %d", i);
        UNIT_CHECK(EXECUTE(conn, throttle_at_limit, now, "900000", "10", "\\x0a") ==
                       (i < 10 ? -2 : 1000000 + i - 9),
                   "limit after failure %d", i);
    }
    CU_ASSERT_EQUAL(EXECUTE(conn, throttle_at_limit, "1900121", "900000", "10", "\\x0a"), -2);
    CU_ASSERT_EQUAL(EXECUTE(conn, throttle_at_limit, "1900120", "900000", "10", "\\x0a"), 1000121);
    CU_ASSERT_EQUAL(EXECUTE(conn, throttle_at_limit, "1000130", "900000", "130", "\\x0d"), 1000001);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from auth.audit where at > 1000000"), 130);
    PQfinish(conn);
}

/* A pair that failed a hundred times in a row is blocked for a day after the last failure. */
static void test_a_pair_that_fails_in_a_row_waits(void)
{
    PGconn *conn = open_prepared();

    run(conn, "insert into throttle (key, hits, until, in_a_row) values "
              "('\\x1a', '{1000}', 86401000, 100), ('\\x1b', '{1000}', 86401000, 99)");
    CU_ASSERT_EQUAL(EXECUTE(conn, throttle_state, "1000000", "900000", "10", "\\x1a", "{\\\\x00}",
                            "100", "\\x00"),
                    86401000 - 900000);
    CU_ASSERT_EQUAL(EXECUTE(conn, throttle_state, "1000000", "900000", "10", "\\x1b", "{\\\\x00}",
                            "100", "\\x00"),
                    -2);
    CU_ASSERT_EQUAL(EXECUTE(conn, throttle_state, "86401000", "900000", "10", "\\x1a", "{\\\\x00}",
                            "100", "\\x00"),
                    -2);
    PQfinish(conn);
}

static bool still_waits(PGconn *conn)
{
    for (int i = 0; i < 20; i++) {
        PQconsumeInput(conn);
        if (!PQisBusy(conn))
            return false;
        usleep(10000);
    }
    return true;
}

static void finish(PGconn *conn)
{
    PGresult *result;

    while ((result = PQgetResult(conn))) {
        UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK, "%s", PQresultErrorMessage(result));
        PQclear(result);
    }
}

/* Only the daemons' settings join its rows by place, so it is not in the hot list. */
static void test_a_rotation_is_planned_on_its_keys(void)
{
    static const char *const wants[] = {
        "Index Cond: ((project_id = w.project_id) AND (id = w.id))",
        "Index Cond: ((project_id = s_2.project_id) AND (id = s_2.membership_id))",
        "Index Cond: (id = s_2.account_id)",
        "Tid Scan on session s\n",
    };
    PGconn *conn = open_prepared();
    char plan[8192];

    run(conn, "set plan_cache_mode = force_generic_plan");
    run(conn, "set enable_seqscan = off");
    plans_explain(conn, plans_find(&plans, "refresh_rotate"), plan, sizeof(plan));
    for (size_t i = 0; i < ARRAY_SIZE(wants); i++)
        UNIT_CHECK(strstr(plan, wants[i]) != NULL, "no \"%s\" in\n%s", wants[i], plan);
    PQfinish(conn);
}

#define POLICY "22222222-2222-4222-8222-222222222222"
#define OTHER "33333333-3333-4333-8333-333333333333"
#define WHERE_SESSION " where project_id = '" ONE "' and id = '" ONE "'"
#define ROTATE(conn_, hash_, change_, open_)                                             \
    EXECUTE(conn_, refresh_rotate, "{" ONE "}", "{" ONE "}", "{" hash_ "}", "{\\\\x02}", \
            "{\\\\x03}", "{" change_ "}", "{\"" open_ "\"}", "1000", "5000")

/* Makes a patient with a policy and a session. The last policy change is number 7; settings_change
 * says 8. */
static void make_session(PGconn *conn)
{
    run(conn, "begin");
    run(conn, "delete from change");
    run(conn, "insert into change (sequence, kind, id, until) values (7, 'policy', '" OTHER "', 1),"
              " (9, 'session', '" OTHER "', 1)");
    run(conn, "insert into account (id, role, project_id, email, name, surname, created_at) values "
              "('" ONE "', 'Patient', '" ONE "', 'a@b.example', 'A', 'B', 1)");
    run(conn, "insert into membership (project_id, id, account_id, profile_id, policy_id, "
              "created_at) values ('" ONE "', '" ONE "', '" ONE "', '" ONE "', '" POLICY "', 1)");
    run(conn, "insert into session (project_id, id, account_id, membership_id, profile_id, role, "
              "auth_method, remote_address, created_at, last_updated, refresh_hash, idle_until, "
              "absolute_until) values ('" ONE "', '" ONE "', '" ONE "', '" ONE "', '" ONE
              "', 'Patient', 'password', '::1', 1, 1, '\\x01', 2000, 9000)");
}

static const struct {
    const char *label, *change;
    long settled, open; /* 1: rotates */
} rotation_rows[] = {
    {"nothing", NULL, 1, 1},
    {"a later policy",
     "insert into change (sequence, kind, id, until) values "
     "(8, 'policy', '" OTHER "', 1)",
     1, -1},
    {"a later project",
     "insert into change (sequence, kind, id, until) values "
     "(8, 'project', '" OTHER "', 1)",
     1, -1},
    {"the changes were deleted", "delete from change", 1, -1},
    {"another policy", "update membership set policy_id = '" OTHER "'" WHERE_SESSION, 1, -1},
    {"no policy, which is listed", "update membership set policy_id = null" WHERE_SESSION, 1, 1},
    {"locked", "update membership set locked_at = 1" WHERE_SESSION, -1, -1},
    {"no member", "delete from membership" WHERE_SESSION, -1, -1},
    {"to be deleted",
     "update account set delete_at = 1001, delete_schedule = '" OTHER "' where id = '" ONE "'", 1,
     1},
    {"its deletion is due",
     "update account set delete_at = 1000, delete_schedule = '" OTHER "' where id = '" ONE "'", -1,
     -1},
    {"ended", "update session set ended_at = 1, end_reason = 'logout'" WHERE_SESSION, -1, -1},
    {"idle", "update session set idle_until = 1000" WHERE_SESSION, -1, -1},
    {"too old", "update session set absolute_until = 1000" WHERE_SESSION, -1, -1},
    {"rotated", "update session set refresh_hash = '\\x04'" WHERE_SESSION, -1, -1},
};

/* The statement itself checks all that PostgreSQL knows, and for an open list its change and
 * policies. */
static void test_a_token_rotates_while_all_holds(void)
{
    PGconn *conn = open_prepared();

    for (size_t i = 0; i < ARRAY_SIZE(rotation_rows); i++) {
        for (int open = 0; open < 2; open++) {
            long want = open ? rotation_rows[i].open : rotation_rows[i].settled, got;

            make_session(conn);
            if (rotation_rows[i].change)
                run(conn, rotation_rows[i].change);
            got = open ? ROTATE(conn, "\\\\x01", "8", "none " POLICY)
                       : ROTATE(conn, "\\\\x01", "0", "none");
            UNIT_CHECK(got == want, "%s, %s: %ld", rotation_rows[i].label,
                       open ? "open" : "settled", got);
            run(conn, "rollback");
        }
    }
    make_session(conn);
    run(conn, "update membership set policy_id = null" WHERE_SESSION);
    CU_ASSERT_EQUAL(ROTATE(conn, "\\\\x01", "8", POLICY), -1);
    CU_ASSERT_EQUAL(ROTATE(conn, "\\\\x01", "8", "none"), 1);
    run(conn, "rollback");
    PQfinish(conn);
}

static void test_tokens_are_recorded_for_the_number_of_now(void)
{
    PGconn *conn = open_prepared();
    PGresult *result;

    make_session(conn);
    CU_ASSERT_EQUAL(EXECUTE(conn, client_token_record, "{" ONE "," ONE "," ONE "}", "{1,1,1}",
                            "{\"\\\"any\\\"\",\"\\\"former\\\"\",\"\\\"now\\\"\"}", "{0,7,8}"),
                    8);
    result = PQexec(conn, "select string_agg(event #>> '{}', ' ' order by id) from audit "
                          "where json_typeof(event) = 'string'"); /* the table has other rows too */
    CU_ASSERT_STRING_EQUAL(PQgetvalue(result, 0, 0), "any now");
    PQclear(result);
    run(conn, "rollback");
    PQfinish(conn);
}

/* A lease that starts during a change's commit includes the change, or the change waits for the
 * lease. */
static void test_no_change_slips_past_a_new_lease(void)
{
    PGconn *change = open_prepared(), *lease = open_prepared();
    const char *const published[] = {"session", "99", "{" ONE "}"};
    long before = EXECUTE(change, change_since, "1", "1", "10"), got;

    run(change, "begin");
    got = EXECUTE(change, change_publish, "session", "99", "{" ONE "}");
    run(lease, "begin");
    PQsendQueryPrepared(lease, "lease_lock", 0, NULL, NULL, NULL, 0);
    CU_ASSERT_TRUE(still_waits(lease));
    run(change, "commit");
    finish(lease);
    CU_ASSERT_EQUAL(EXECUTE(lease, lease_begin, "gateway.1", "boot", "0", "5"), 1);
    run(lease, "commit");
    CU_ASSERT_EQUAL(EXECUTE(lease, change_since, "0", "1", "10"), got);
    CU_ASSERT_EQUAL(got, before + 1);

    run(lease, "begin");
    execute(lease, "lease_lock", NULL, 0);
    CU_ASSERT_EQUAL(EXECUTE(lease, lease_begin, "gateway.2", "boot", "0", "5"), 1);
    PQsendQueryPrepared(change, "change_publish", 3, published, NULL, NULL, 0);
    CU_ASSERT_TRUE(still_waits(change));
    run(lease, "commit");
    finish(change);
    CU_ASSERT_EQUAL(pg_exec(server, "select count(*) from auth.gateway_lease where sequence < "
                                    "(select sequence from auth.change_counter)"),
                    2);

    /* A lease renewed past the number is not behind. A restarted gateway's lease is not the stopped
     * one's. */
    CU_ASSERT_EQUAL(EXECUTE(lease, lease_renew, "2", "gateway.1", "other boot"), 0);
    CU_ASSERT_EQUAL(EXECUTE(lease, lease_renew, "2", "gateway.1", "boot"), 1);
    CU_ASSERT_EQUAL(EXECUTE(lease, lease_drop, "gateway.1", "5"), 0);
    CU_ASSERT_EQUAL(EXECUTE(lease, lease_drop, "gateway.1", "6"), 1);
    PQfinish(change);
    PQfinish(lease);
}

static long buffers_of(PGconn *conn, const char *call)
{
    char sql[512];
    PGresult *result;
    long buffers = -1;

    snprintf(sql, sizeof(sql), "explain (analyze, buffers, format json) execute %s", call);
    result = PQexec(conn, sql);
    if (UNIT_CHECK(PQresultStatus(result) == PGRES_TUPLES_OK, "%s: %s", call,
                   PQerrorMessage(conn))) {
        json_t *plans_read = json_loads(PQgetvalue(result, 0, 0), 0, NULL);
        json_t *plan = json_object_get(json_array_get(plans_read, 0), "Plan");

        buffers = (long)(json_integer_value(json_object_get(plan, "Shared Hit Blocks")) +
                         json_integer_value(json_object_get(plan, "Shared Read Blocks")));
        json_decref(plans_read);
    }
    PQclear(result);
    return buffers;
}

static void test_a_page_is_read_from_where_it_begins(void)
{
    static const struct {
        const char *label, *sql;
    } rows[] = {
        {"the first page of a search",
         "project_account_search('" ONE "', 'person1 99', '', '" ZERO "', 20, null, 0, null, null, "
         "null, null, null, 10)"},
        {"a later page of a search",
         "project_account_search('" ONE "', 'person1', 'person1 99', '" ZERO
         "', 20, null, 0, null, null, null, null, null, 10)"},
        {"a later page by name", "project_account_list_by_name('" ONE "', 'surname given', '" ZERO
                                 "', 20, null, null, 0, null, null, null, null, 10)"},
        {"the first page of the newest", "project_account_list_newest('" ONE "', '" ZERO
                                         "', 20, null, null, 0, null, null, null, null, 10)"},
        {"the first page of an operator's list",
         "user_list(0, '', 'person1.99', null, 'person1.9:', 10)"},
        {"a later page of an operator's list",
         "user_list(0, 'person1.99', 'person', '" ZERO "', 'persoo', 10)"},
    };
    PGconn *conn = open_prepared();

    run(conn,
        "with people as ("
        "insert into account (id, role, project_id, email, name, surname, created_at) "
        "select gen_random_uuid(), 'Patient', '" ONE "', 'person1.' || lpad(i::text, 5, '0'), "
        "'Given', 'Surname', 1 from generate_series(50000, 99999) i returning id) "
        "insert into membership (project_id, id, account_id, profile_id, created_at) "
        "select '" ONE "', gen_random_uuid(), id, gen_random_uuid(), 1 from people");
    run(conn, "vacuum analyze account");
    run(conn, "vacuum analyze member_search");
    run(conn, "vacuum analyze member_order");
    run(conn, "set plan_cache_mode = force_generic_plan");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        long buffers = buffers_of(conn, rows[i].sql);

        UNIT_CHECK(buffers >= 0 && buffers < 500, "%s: %ld buffers", rows[i].label, buffers);
    }
    run(conn, "delete from account where email like 'person1.%'");
    run(conn, "delete from member_search_due");
    PQfinish(conn);
}

static void check_keys(PGconn *conn, const char *want)
{
    PGresult *result = PQexec(conn, "select string_agg(key, '|' order by key) from member_search "
                                    "where account_id = '" TWO "'");

    CU_ASSERT_STRING_EQUAL(PQgetvalue(result, 0, 0), want);
    PQclear(result);
}

/* Writes the key for an account of which authd read this family name. Returns how many are done. */
static long write_key(PGconn *conn, const char *surname, const char *key)
{
    char surnames[64], keys[64];

    snprintf(surnames, sizeof(surnames), "{%s}", surname);
    snprintf(keys, sizeof(keys), "{%s}", key);
    return EXECUTE(conn, member_search_write, "{" TWO "}", "{Zo\u00eb}", surnames,
                   "{Zoe.Q@x.example}", "{" TWO "}", keys);
}

/* A new member has search keys immediately. authd's keys replace them, but not while another
 * transaction holds the membership, and not when the name has changed since authd read it. */
static void test_search_keys_belong_to_the_current_name(void)
{
    static const char first[] = "o'brien zoe|zoe o'brien|zoe q@x example";
    PGconn *conn = open_prepared(), *other = open_prepared();

    run(conn, "insert into account (id, role, project_id, email, name, surname, created_at) values "
              "('" TWO "', 'Patient', '" ONE "', 'Zoe.Q@x.example', 'Zo\u00eb', 'O''Brien', 1)");
    run(conn, "insert into membership (project_id, id, account_id, profile_id, created_at) values "
              "('" ONE "', '" TWO "', '" TWO "', '" TWO "', 1)");
    check_keys(conn, first);
    CU_ASSERT_EQUAL(write_key(conn, "Before", "key"), 0);
    check_keys(conn, first);
    run(other, "begin");
    run(other, "select from membership where account_id = '" TWO "' for update");
    CU_ASSERT_EQUAL(write_key(conn, "O'Brien", "key"), 0);
    run(other, "rollback");
    check_keys(conn, first);
    CU_ASSERT_EQUAL(write_key(conn, "O'Brien", "key"), 1);
    check_keys(conn, "key");
    run(conn, "delete from account where id = '" TWO "'");
    check_keys(conn, "");
    PQfinish(other);
    PQfinish(conn);
}

static void check_plan(PGconn *conn, const struct db_statement *statement, const char *want)
{
    char plan[16384];

    plans_explain(conn, statement, plan, sizeof(plan));
    CU_ASSERT_FALSE(plans_scan_whole(&plans, plan));
    UNIT_CHECK(strstr(plan, want), "no \"%s\" in\n%s", want, plan);
}

/* Counting reads 25 rows for any number of sign-ins, and no audit rows. A page of the audit log is
 * counted by its rows' places. */
static void test_sign_ins_of_a_day_are_counted_page_by_page(void)
{
    PGconn *conn = open_prepared();

    run(conn, "insert into audit (at, project_id, event, sequence, hash) select i * 60000::bigint, "
              "('00000000-0000-0000-0000-00000000000' || i % 2)::uuid, "
              "'{\"action\":\"session.create\",\"outcome\":\"success\"}', 1000000 + i, '' "
              "from generate_series(1, 60000) i");
    run(conn, "insert into trail_sign_in select gen_random_uuid(), i, 1, 1 "
              "from generate_series(1, 20000) i");
    run(conn, "analyze audit; analyze trail_sign_in; set plan_cache_mode = force_generic_plan");
    check_plan(conn, sql_sign_in_hours_statement,
               "Index Scan using trail_sign_in_pkey on trail_sign_in");
    check_plan(conn, sql_sign_in_count_statement, "using audit_other_sequence_idx on audit_other");
    PQfinish(conn);
}

/* Uses daemons' settings, because the planner takes the addresses of a batch for only ten as long
 * as the table is not analyzed. */
static void test_an_import_finds_reserved_addresses_by_their_index(void)
{
    PGconn *conn = open_prepared();

    run(conn, "set plan_cache_mode = force_generic_plan; set enable_seqscan = off");
    check_plan(conn, sql_import_create_statement, "email_undo_email");
    PQfinish(conn);
}

/* An address is reserved for one patient project: another kind of account, or the former owner, can
 * use it. */
static void test_a_reserved_address_refuses_all_accounts_of_its_statement(void)
{
    static const struct {
        const char *label, *rows;
        bool refused;
    } tries[] = {
        {"it alone", "('" TWO "'::uuid, 'Patient', '" ONE "'::uuid, 'kept@a.example')", true},
        {"the last of many",
         "('" TWO "'::uuid, 'Patient', '" ONE "'::uuid, 'a@a.example'), "
         "(gen_random_uuid(), 'Patient', '" ONE "', 'b@a.example'), "
         "(gen_random_uuid(), 'Patient', '" ONE "', 'kept@a.example')",
         true},
        {"another project, another kind, another address",
         "('" TWO "'::uuid, 'Patient', '" TWO "'::uuid, 'kept@a.example'), "
         "(gen_random_uuid(), 'Practitioner', null, 'kept@a.example'), "
         "(gen_random_uuid(), 'Patient', '" ONE "', 'other@a.example')",
         false},
    };
    PGconn *conn = PQconnectdb(server->conninfo);

    run(conn, "set search_path = auth; begin; "
              "insert into account (id, role, project_id, email, name, surname, created_at) "
              "values ('" ONE "', 'Patient', '" ONE "', 'new@a.example', 'A', 'B', 1); "
              "insert into email_undo values (gen_random_uuid(), '" ONE "', 'Patient', '" ONE
              "', 'kept@a.example', '', '" ONE "', false, '{}', 1, 2)");
    for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
        char sql[1024];
        PGresult *result;
        const char *state;

        snprintf(sql, sizeof(sql),
                 "insert into account (id, role, project_id, email, name, surname, created_at) "
                 "select id, role, project, email, 'A', 'B', 1 "
                 "from (values %s) v (id, role, project, email)",
                 tries[i].rows);
        run(conn, "savepoint before");
        result = PQexec(conn, sql);
        state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        UNIT_CHECK(tries[i].refused ? state && strcmp(state, "23505") == 0
                                    : PQresultStatus(result) == PGRES_COMMAND_OK,
                   "%s: %s", tries[i].label, PQresultErrorMessage(result));
        PQclear(result);
        run(conn, "rollback to before");
    }
    run(conn, "update account set email = 'kept@a.example' where id = '" ONE "'");
    run(conn, "rollback");
    PQfinish(conn);
}

/* An executed request is remembered for a year, because it can be repeated that long. */
static void test_grants_are_swept_when_they_are_old(void)
{
    PGconn *conn = open_prepared();

    run(conn, "insert into auth.granted (key, granted_at) select gen_random_uuid(), i from "
              "generate_series(96, 101) i");
    CU_ASSERT_EQUAL(EXECUTE(conn, sweep, "0", "3", "0", "0", "0", "0", "0", "100", "0"), 3);
    CU_ASSERT_EQUAL(EXECUTE(conn, sweep, "0", "3", "0", "0", "0", "0", "0", "100", "0"), 1);
    CU_ASSERT_EQUAL(pg_exec(server, "select min(granted_at) from auth.granted"), 100);
    run(conn, "delete from auth.granted");
    PQfinish(conn);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(test_the_schema_is_made),
    CASE(test_every_statement_prepares_with_its_parameters),
    CASE(test_hot_statements_are_planned_on_their_keys),
    CASE(test_every_statement_has_its_index),
    CASE(test_five_registrations_in_any_sixty_seconds),
    CASE(test_failures_are_counted_the_newest_hundred_kept),
    CASE(test_a_pair_that_fails_in_a_row_waits),
    CASE(test_a_rotation_is_planned_on_its_keys),
    CASE(test_a_token_rotates_while_all_holds),
    CASE(test_tokens_are_recorded_for_the_number_of_now),
    CASE(test_no_change_slips_past_a_new_lease),
    CASE(test_a_page_is_read_from_where_it_begins),
    CASE(test_search_keys_belong_to_the_current_name),
    CASE(test_sign_ins_of_a_day_are_counted_page_by_page),
    CASE(test_an_import_finds_reserved_addresses_by_their_index),
    CASE(test_a_reserved_address_refuses_all_accounts_of_its_statement),
    CASE(test_grants_are_swept_when_they_are_old),
};

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("authd sql", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    return failed;
}
