/*
 * test_project_deletion.c - `atriumctl project delete`: it can be refused, closes the project
 * immediately, and leaves nothing of it, while other projects are untouched. Also kills of every
 * daemon, and its effect on other tenants' response times.
 *
 * tier: fault
 */
#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

enum {
    DONE_MS = 120000,
    PATIENTS = 1500,       /* some seconds of deletion, for kills */
    MANY_PATIENTS = 20000, /* credential, membership, session and email each: 100,000 rows */
    KILL_MS = 300,
    ANSWER_MS =
        3000, /* maximum time of another tenant's request in the meantime, on a slow machine */
    LOCK_MS = 3000, /* longest transaction of the deletion */
};

static const char *const targets[] = {"authd", "botd", "docd", "maild", "settingsd"};

static struct suite *suite;
static char demo[40];

/* seed(project, patients) adds rows to every table with a project. left(project) lists tables with
 * remaining rows, "" for none. state(project) hashes all its rows. */
static const char functions[] =
    "create schema probe;"
    "create function probe.seed(p uuid, n int) returns void language plpgsql as $$ "
    "declare staff uuid := gen_random_uuid(); both uuid; b uuid := gen_random_uuid(); begin "
    "insert into auth.account (id, role, project_id, email, name, surname, created_at) "
    "select gen_random_uuid(), 'Patient', p, i || '@gone.example', 'P', 'A', 1 "
    "from generate_series(1, n) i; "
    "insert into auth.account (id, role, email, name, surname, created_at) "
    "values (staff, 'Practitioner', p || '@gone.example', 'S', 'T', 1); "
    "insert into auth.credential select id, 'x', 1 from auth.account "
    "where project_id = p or id = staff; "
    "insert into auth.membership (project_id, id, account_id, profile_id, created_at) "
    "select p, gen_random_uuid(), id, gen_random_uuid(), 1 from auth.account "
    "where project_id = p or id = staff or email = 'admin@demo.example'; "
    "insert into auth.session (project_id, id, account_id, membership_id, profile_id, role, "
    "auth_method, remote_address, created_at, last_updated, refresh_hash, idle_until, "
    "absolute_until) select p, gen_random_uuid(), account_id, id, profile_id, 'Patient', "
    "'password', '::1', 1, 1, '', 9999999999999, 9999999999999 from auth.membership "
    "where project_id = p; "
    "insert into auth.mfa_pending (session_id, account_id, secret_sealed, expires_at, "
    "credential_changes) values (gen_random_uuid(), staff, '', 9999999999999, 0); "
    "insert into auth.email_undo (id, account_id, role, email, secret_hash, project_id, "
    "installation, organizations, changed_at, expires_at) values (gen_random_uuid(), staff, "
    "'Practitioner', 'old@gone.example', '', p, false, '{}', 1, 9999999999999); "
    "insert into auth.last_sign_in (account_id, project_id, at) "
    "select account_id, p, 1 from auth.membership where project_id = p; "
    "insert into auth.password_reset (account_id, project_id, id, secret_hash, expires_at) "
    "select id, p, gen_random_uuid(), '', 9999999999999 from auth.account "
    "where id = staff or email = 'admin@demo.example' on conflict do nothing; "
    "insert into auth.passkey (id, account_id, rp_id, project_id, credential_id, user_handle, "
    "algorithm, public_key, sign_count, backed_up, name, created_at) "
    "select gen_random_uuid(), id, 'gone.example', p, decode(md5(p::text || id), 'hex'), '', -7, "
    "'', "
    "0, false, 'K', 1 from auth.account where id = staff or email = 'admin@demo.example'; "
    "insert into auth.api_key (project_id, id, name, hash, policy_id, addresses, created_by, "
    "profile_id, created_at, expires_at) values (p, gen_random_uuid(), 'K', "
    "sha256(p::text::bytea), gen_random_uuid(), '{}', gen_random_uuid(), gen_random_uuid(), 1, "
    "9999999999999); "
    "insert into auth.transfer_account values (p, gen_random_uuid(), gen_random_uuid(), true, "
    "false, 9999999999999); "
    "insert into auth.fhir_server values (p, gen_random_uuid(), 'F', 'https://gone.example', '{}', "
    "'{}', 1, 1); "
    "insert into auth.oauth_grant (project_id, session_id, client_id, client_name, scope, "
    "signed_in_at, created_at) select p, id, 'c', 'C', 'openid', 1, 1 from auth.session "
    "where project_id = p; "
    "insert into auth.logout_delivery (project_id, session_id, client_id, subject, created_at, "
    "due_at) select p, gen_random_uuid(), 'c', p, 9999999999999, 9999999999999 "
    "from generate_series(1, n); "
    "insert into auth.oauth_consent (project_id, account_id, client_id, client_name, scope, "
    "resource, tos_version, created_at, updated_at) select p, account_id, 'c', 'C', 'openid', '', "
    "'', 1, 1 from auth.membership where project_id = p; "
    "insert into auth.oauth_consent_resource select project_id, account_id, client_id, '', scope "
    "from auth.oauth_consent where project_id = p; "
    "insert into auth.invitation (project_id, id, role, email, name, surname, profile_id, "
    "invited_at, secret_hash, expires_at) values (p, gen_random_uuid(), 'Patient', "
    "'guest@gone.example', 'G', 'U', gen_random_uuid(), 1, '', 9999999999999); "
    "insert into mail.template (project_id, name, subject, text, updated_at) "
    "values (p, 'PATIENT_WELCOME', 's', 't', 1); "
    "insert into mail.message (id, project_id, template, state, due_at, created_at) "
    "select gen_random_uuid(), p, 'PATIENT_WELCOME', 'sent', 1, 9999999999999 "
    "from generate_series(1, n); "
    "insert into mail.job (id, kind, due_at, account_id, schedule_id, project_id, created_at) "
    "values (gen_random_uuid(), 'account-delete', 9999999999999, gen_random_uuid(), "
    "gen_random_uuid(), p, 1); "
    "insert into mail.webhook (project_id, id, url, events, enabled, secret_sealed, created_at, "
    "updated_at) values (p, gen_random_uuid(), 'https://gone.example', '{session.created}', true, "
    "'', 1, 1); "
    "insert into mail.webhook_queue (webhook_id, project_id) values (gen_random_uuid(), p); "
    "insert into mail.webhook_delivery (project_id, webhook_id, event_id, lane, type, body, "
    "happened_at, created_at, due_at) select p, gen_random_uuid(), gen_random_uuid(), p, "
    "'session.created', '{}', 1, 9999999999999, 9999999999999 from generate_series(1, n); "
    "insert into bot.bot (project_id, id, name, kind, program, timeout_ms, identifier, "
    "secret_names, secrets_sealed, created_at, updated_at) "
    "values (p, b, 'B', 'program', 'echo', 1, '[]', '[]', '', 1, 1); "
    "insert into bot.bot_identifier values (p, b, '', 'b'); "
    "insert into bot.execution select p, gen_random_uuid(), b, 9999999999999, 1, 'success' "
    "from generate_series(1, n); "
    "insert into bot.translation_memory select p, decode(md5(i::text), 'hex'), '', 9999999999999 "
    "from generate_series(1, n) i; "
    "insert into bot.translation_memory_size values (p, n, 0); "
    "insert into bot.translation_day values (p, 99999, 1); "
    "insert into doc.object (project_id, id) select p, gen_random_uuid() "
    "from generate_series(1, greatest(n / 10, 1)); "
    "insert into doc.document (project_id, id, author_type, author_id, author_display, file_name, "
    "content_type, uploads, updated_at, upload, object_id, size, etag, found_type) "
    "select p, gen_random_uuid(), 'Patient', gen_random_uuid(), 'A', 'f', 'text/plain', 1, 1, 1, "
    "id, 1, 'e', 'text/plain' from doc.object where project_id = p; "
    "update doc.object o set document_id = d.id from doc.document d "
    "where d.project_id = p and d.object_id = o.id; "
    "insert into doc.upload (project_id, id, document_id, number, file_name, content_type, "
    "expires_at) select p, gen_random_uuid(), id, 2, 'f', 't', 9999999999999 "
    "from doc.document where project_id = p limit 3; "
    "insert into doc.export (project_id, id, account_id, role, profile_id, asked_by, created_at, "
    "state, attempts, due_at) values (p, gen_random_uuid(), gen_random_uuid(), 'Patient', "
    "gen_random_uuid(), gen_random_uuid(), 1, 'failed', 1, 9999999999999); "
    "insert into doc.content values (p, 'page', 'home', '{en}'); "
    "insert into doc.content_translation (project_id, type, key, language, title, sections, "
    "updated_at) values (p, 'page', 'home', 'en', 'T', '[]', 1); "
    "insert into doc.content_word values (p, 'page', 'en', 'word', 1); "
    "insert into doc.content_draft (project_id, type, key, language, title, sections, updated_at) "
    "values (p, 'page', 'home', 'de', 'T', '[]', 1); "
    "insert into auth.project_domain (project_id, domain, created_at) "
    "values (p, 'gone.example', 1); "
    "insert into auth.identity_provider (id, project_id, name, preset, issuer, client_id, "
    "auth_method, scopes, trusted_for_mfa, roles, domains, provisioning, enforced, state, "
    "created_at, updated_at) values (gen_random_uuid(), p, 'I', 'oidc', 'https://gone.example', "
    "'c', 'client_secret_basic', 'openid', false, '{patients}', '{}', 'none', '{}', 'draft', 1, "
    "1); "
    "insert into auth.identity select gen_random_uuid(), i.id, p, i.issuer, 's', 'Patient', null, "
    "1, 1 from auth.identity_provider i where i.project_id = p; "
    "insert into auth.scim_token (project_id, id, name, hash, addresses, created_by, created_at, "
    "expires_at) values (p, gen_random_uuid(), 'T', 'scim', '{}', p, 1, 9000000000000); "
    "insert into auth.scim_user (project_id, id, membership_id) "
    "select p, id, id from auth.membership where project_id = p limit 1; "
    "insert into auth.scim_group values (p, p, 'G', null, 1); "
    "insert into auth.scim_group_member select p, p, id from auth.scim_user where project_id = p; "
    "insert into auth.scim_mapping values (p, 1, 'G', p); "
    "insert into auth.scim_request values (p, p, 1, 'PUT', 'Users'); "
    "insert into settings.access_policy values (p, gen_random_uuid(), 'P', '[]', null, 1, 1); "
    "insert into settings.client values (p, gen_random_uuid(), 'C', 1); "
    "insert into settings.setting_history (project_id, version, name, changed_at) "
    "select p, i, 'x', 1 from generate_series(2, 100) i; "
    "end $$;"
    "create function probe.tables() returns table (t text, c text) language sql as $$ "
    "select format('%I.%I', c.table_schema, c.table_name), c.column_name "
    "from information_schema.columns c join information_schema.tables x "
    "using (table_schema, table_name) where x.table_type = 'BASE TABLE' "
    "and c.table_schema in ('auth', 'settings', 'doc', 'mail', 'bot') "
    "and c.table_name not like 'audit%' and c.table_name not like 'trail%' " /* these rows stay */
    "and c.table_name not in ('project_purge', 'project_deletion', 'project_hold') "
    "and (c.column_name in ('project_id', 'home_id', 'organization_id', 'session_project') "
    "or (c.table_schema = 'settings' and c.table_name = 'project' and c.column_name = 'id')) "
    "order by 1, 2 $$;"
    "create function probe.left(p uuid) returns text language plpgsql as $$ "
    "declare r record; n bigint; found text := ''; begin "
    "for r in select * from probe.tables() loop "
    "execute format('select count(*) from %s where %I = $1', r.t, r.c) into n using p; "
    "if n > 0 then found := found || format('%s.%s=%s ', r.t, r.c, n); end if; end loop; "
    "select count(*) into n from auth.account where email like '%@gone.example' "
    "and not exists (select from auth.membership m where m.account_id = account.id); "
    "if n > 0 then found := found || 'accounts=' || n; end if; "
    "select count(*) into n from auth.mfa_pending f "
    "where not exists (select from auth.account a where a.id = f.account_id); "
    "if n > 0 then found := found || 'factors=' || n; end if; "
    "return found; end $$;"
    "create function probe.state(p uuid) returns text language plpgsql as $$ "
    "declare r record; h text; all_of text := ''; begin "
    "for r in select * from probe.tables() loop "
    "execute format('select md5(coalesce(string_agg(x::text, '','' order by x::text), '''')) "
    "from %s x where %I = $1', r.t, r.c) into h using p; "
    "all_of := all_of || r.t || '=' || h || ' '; end loop; return all_of; end $$;";

static char *ask(const char *function, const char *project)
{
    char sql[160];

    snprintf(sql, sizeof(sql), "select probe.%s('%s')", function, project);
    return suite_query(suite, sql);
}

/* Checks that no table with project_id is empty: a new table needs rows in seed() and a step in its
 * daemon's deletion. Logins, links, challenges and codes expire within the hour; a read-only
 * project is not deleted. */
static void check_seeded(const char *project)
{
    char *left = ask("left", project);

    UNIT_CHECK(suite_count(suite,
                           "select count(*) from probe.tables() where c = 'project_id' and "
                           "t not in ('auth.login', 'auth.email_link', 'auth.passkey_ceremony', "
                           "'auth.oauth_code', 'auth.oauth_device', 'auth.oauth_pushed', "
                           "'auth.smart_launch', 'auth.federated_login') and "
                           "position(t || '.project_id=' in '%s') = 0",
                           left) == 0,
               "not all tables have rows: %s", left);
    free(left);
}

/* Makes a project with rows in every table, and returns its id (caller frees). */
static char *make_project(const char *code, int patients)
{
    PROGRAM made = ATRIUMCTL(suite, NULL, "project", "create", code, "--code", code, "--json");
    char sql[160], *id = strdup(program_text(made, "projectId"));

    CHECK_EXIT(made, DONE);
    snprintf(sql, sizeof(sql), "select probe.seed('%s', %d)", id, patients);
    free(suite_query(suite, sql));
    check_seeded(id);
    return id;
}

static void check_nothing_left(const char *project, const char *label)
{
    char *left = ask("left", project);

    UNIT_CHECK(*left == '\0', "%s: left %s", label, left);
    UNIT_CHECK(suite_count(suite,
                           "select count(*) from settings.audit where project_id = '%s' and "
                           "event->>'action' = 'project.delete'",
                           project) == 2,
               "%s: the trail does not tell the beginning and the end, once", label);
    free(left);
}

static void probe_is_there(void)
{
    char *id;

    free(suite_query(suite, functions));
    id = suite_query(suite, "select project_id from settings.tenant_code where code = 'demo'");
    snprintf(demo, sizeof(demo), "%s", id);
    free(id);
    CU_ASSERT_EQUAL(strlen(demo), 36);
}

static void members_and_children_refuse_it(void)
{
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "small-child");
    PROGRAM members = ATRIUMCTL(suite, NULL, "project", "delete", "demo", "--yes");
    PROGRAM children = ATRIUMCTL(suite, NULL, "project", "delete", "demo", "--yes", "--force");
    PROGRAM unconfirmed = ATRIUMCTL(suite, NULL, "project", "delete", "small-child", "--force");
    PROGRAM unknown = ATRIUMCTL(suite, NULL, "project", "delete", "nobody", "--yes");

    CHECK_REFUSED(members, FAILED, "demo has 1 member or invitation: --force deletes them too");
    CHECK_REFUSED(children, FAILED, "The project has child projects");
    CHECK_REFUSED(unconfirmed, FAILED, "--yes is needed");
    CHECK_REFUSED(unknown, FAILED, "Tenant not found.");
    CU_ASSERT_TRUE(suite_everywhere(suite, admin->access, 200));
    CU_ASSERT_TRUE(suite_everywhere(suite, child->access, 200));
    PROGRAM gone = ATRIUMCTL(suite, NULL, "project", "delete", "small-child", "--yes", "--force");
    CHECK_EXIT(gone, DONE);
    CU_ASSERT_TRUE(suite_everywhere(suite, admin->access, 200));
    HTTP_ANSWER after = http_call(
        suite_url(suite), &(struct http_request){.path = "/auth/me", .bearer = child->access});
    UNIT_CHECK(after->status == 401 || after->status == 403, "%d", after->status);
    PERSON again = person_sign_in(suite, "Practitioner", suite_text(suite, "demo.adminEmail"),
                                  suite_text(suite, "demo.adminPassword"), "small-child");
    CU_ASSERT_PTR_NULL(again->access);
}

/* Without docd the deletion starts and cannot end: the project is closed, and the deletion
 * continues later. */
static void the_project_is_closed_from_the_beginning(void)
{
    char *id = make_project("closing", 3);

    suite_signal(suite, "docd", "1", SIGSTOP);
    suite_signal(suite, "docd", "2", SIGSTOP);
    char *path = program_path("atriumctl");
    PROGRAM deletion =
        program_start((const char *const[]){path, "--dir", suite_dir(suite), "project", "delete",
                                            "closing", "--yes", "--force", NULL},
                      NULL);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 20000,
                                  "select count(*) from settings.project where id = '%s' and "
                                  "deleting_at is not null",
                                  id));
    HTTP_ANSWER start = suite_post_fresh(suite, "/auth/tenant/closing/login/patient/start",
                                         body_login_start("1@gone.example", "x", "closing"));
    CU_ASSERT_EQUAL(start->status, 404);
    PROGRAM resumed = ATRIUMCTL(suite, NULL, "project", "suspend", "closing", "--resume");
    PROGRAM client = ATRIUMCTL(suite, NULL, "client", "create", "--project", "closing", "Desk");
    PROGRAM template = ATRIUMCTL(suite, NULL, "template", "list", "--project", "closing");
    PROGRAM create = ATRIUMCTL(suite, NULL, "project", "create", "Taken", "--code", "closing");
    PROGRAM show = ATRIUMCTL(suite, NULL, "project", "show", "closing", "--json");
    CHECK_REFUSED(resumed, FAILED, "The project is being deleted.");
    CHECK_REFUSED(client, FAILED, "The project is being deleted.");
    CHECK_REFUSED(template, FAILED, "The project is being deleted.");
    CHECK_REFUSED(create, FAILED, "The tenant code is already in use. Choose another one.");
    CU_ASSERT_TRUE(json_is_true(json_object_get(show->json, "deleting")));
    suite_signal(suite, "docd", "1", SIGCONT);
    suite_signal(suite, "docd", "2", SIGCONT);
    bool ended = program_wait_end(deletion, DONE_MS);
    UNIT_CHECK(ended && deletion->code == DONE, "%d %s", deletion->code, deletion->err);
    check_nothing_left(id, "closing");
    PROGRAM free_now = ATRIUMCTL(suite, NULL, "project", "create", "Taken", "--code", "closing");
    CHECK_EXIT(free_now, DONE);
    CU_ASSERT_TRUE(/* the audit log can be searched only for rows in the chain */
                   suite_comes_to(suite, 0, 20000,
                                  "select count(*) from settings.audit where sequence is null"));
    PROGRAM trail = ATRIUMCTL(suite, NULL, "audit", "search", "--project", id, "--action",
                              "project.delete", "--json");
    CHECK_EXIT(trail, DONE);
    CU_ASSERT_EQUAL(json_array_size(trail->json), 2);
    free(path);
    free(id);
}

static void files_go_too(void)
{
    char *bytes = test_bytes(5000, 1), *kept, *gone;
    PERSON admin = person_admin(suite);
    PERSON child = person_admin_of_child(suite, "with-files");
    size_t before = stored_files(suite);

    kept = document_put(suite, admin->access, "kept.bin", "application/octet-stream", bytes, 5000);
    gone = document_put(suite, child->access, "gone.bin", "application/octet-stream", bytes, 5000);
    CU_ASSERT_EQUAL(stored_files(suite), before + 2);
    PROGRAM done = ATRIUMCTL(suite, NULL, "project", "delete", "with-files", "--yes", "--force");
    CHECK_EXIT(done, DONE);
    CU_ASSERT_EQUAL(stored_files(suite), before + 1);
    HTTP_ANSWER read = document_get(suite, admin->access, kept);
    CHECK_BYTES(read, bytes, 5000);
    free(bytes);
    free(kept);
    free(gone);
}

static void kill_while_deleting(const char *target)
{
    char code[32], *id, *before, *after;
    char *path = program_path("atriumctl");

    snprintf(code, sizeof(code), "kill-%s", target);
    id = make_project(code, PATIENTS);
    before = ask("state", demo);
    PROGRAM deletion =
        program_start((const char *const[]){path, "--dir", suite_dir(suite), "project", "delete",
                                            code, "--yes", "--force", "--json", NULL},
                      NULL);
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 20000,
                                  "select count(*) from settings.project where id = '%s' and "
                                  "deleting_at is not null",
                                  id));
    for (int i = 0; i < 2; i++) {
        pid_t one = suite_pid(suite, target, "1"), two = suite_pid(suite, target, "2");

        waitpid(suite_kill_both_later(suite, target, KILL_MS), NULL, 0);
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, target, "1", one));
        CU_ASSERT_TRUE(suite_wait_new_pid(suite, target, "2", two));
    }
    bool ended = program_wait_end(deletion, DONE_MS);
    UNIT_CHECK(ended && deletion->code == DONE, "%s: %d %s", target, deletion->code, deletion->err);
    check_nothing_left(id, target);
    after = ask("state", demo);
    UNIT_CHECK(strcmp(before, after) == 0, "%s: another tenant: %s / %s", target, before, after);
    free(before);
    free(after);
    free(id);
    free(path);
}

static void every_daemon_may_die_in_the_middle(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
        kill_while_deleting(targets[i]);
}

static void a_deletion_continues_after_all_daemons_died(void)
{
    char *id = make_project("all-die", PATIENTS);
    char *path = program_path("atriumctl");
    PROGRAM deletion =
        program_start((const char *const[]){path, "--dir", suite_dir(suite), "project", "delete",
                                            "all-die", "--yes", "--force", NULL},
                      NULL);

    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 20000,
                                  "select count(*) from settings.project where id = '%s' and "
                                  "deleting_at is not null",
                                  id));
    suite_halt(suite);
    program_destroy(&deletion);
    suite_restart(suite);
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, DONE_MS,
                                  "select count(*) from settings.project where id = '%s'", id));
    check_nothing_left(id, "after everything died");
    free(path);
    free(id);
}

/* A request of the project was in progress when the project was closed. */
static void rows_created_late_are_deleted_too(void)
{
    char *id = make_project("late", 3), sql[200];

    PROGRAM done = ATRIUMCTL(suite, NULL, "project", "delete", "late", "--yes", "--force");
    CHECK_EXIT(done, DONE);
    snprintf(sql, sizeof(sql),
             "insert into bot.translation_day values ('%s', 99999, 1) returning day", id);
    free(suite_query(suite, sql));
    suite_halt(suite);
    suite_restart(suite); /* the first check is at the start, later ones every minute */
    CU_ASSERT_TRUE(suite_comes_to(suite, 0, 20000,
                                  "select count(*) from bot.translation_day where project_id = "
                                  "'%s'",
                                  id));
    free(id);
}

/* During an upgrade, a newer build may delete from a service that this build does not know. */
static void a_service_that_only_a_newer_build_calls_is_left_to_it(void)
{
    free(suite_query(suite, "insert into settings.project_deletion (project_id, service, try_at) "
                            "values ('5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b', 'newd', 0) "
                            "returning 1"));
    CU_ASSERT_TRUE(suite_comes_to(suite, 1, 20000,
                                  "select count(*) from settings.project_deletion where "
                                  "service = 'newd' and (done_at is not null or "
                                  "last_error = 'This build calls no such service.')"));
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from settings.project_deletion where "
                                       "service = 'newd' and done_at is null"),
                    1);
    free(suite_query(suite, "delete from settings.project_deletion where service = 'newd' "
                            "returning 1"));
}

static long oldest_transaction_ms(void)
{
    return suite_count(suite,
                       "select coalesce(max(extract(epoch from clock_timestamp() - xact_start) * "
                       "1000), 0)::bigint from pg_stat_activity where usename like 'atrium%%' and "
                       "pid <> pg_backend_pid() and query like '%%\\_deleted as (%%'");
}

static void deleting_many_rows_delays_no_request(void)
{
    char *id = make_project("many", MANY_PATIENTS);
    char *path = program_path("atriumctl");
    PERSON admin = person_admin(suite);
    int64_t worst_ms = 0, began_ms = clock_mono_ms();
    long locked_ms = 0, requests = 0;
    PROGRAM deletion =
        program_start((const char *const[]){path, "--dir", suite_dir(suite), "project", "delete",
                                            "many", "--yes", "--force", NULL},
                      NULL);

    do {
        int64_t at_ms = clock_mono_ms();
        HTTP_ANSWER me = http_call(suite_url(suite), &(struct http_request){
                                                         .path = "/auth/me",
                                                         .bearer = admin->access,
                                                     });

        CHECK_STATUS(me, 200);
        worst_ms = MAX(worst_ms, clock_mono_ms() - at_ms);
        locked_ms = MAX(locked_ms, oldest_transaction_ms());
        requests++;
    } while (!program_wait_end(deletion, 20) && clock_mono_ms() - began_ms < DONE_MS);
    UNIT_CHECK(deletion->code == DONE, "%d %s", deletion->code, deletion->err);
    printf("\n    %d patients: %.1f s, %ld requests of another tenant, longest %lld ms, longest "
           "transaction %ld ms\n",
           MANY_PATIENTS, (double)(clock_mono_ms() - began_ms) / 1000, requests,
           (long long)worst_ms, locked_ms);
    UNIT_CHECK(worst_ms < ANSWER_MS, "a request took %lld ms", (long long)worst_ms);
    UNIT_CHECK(locked_ms > 0, "none of %ld looks saw a transaction", requests);
    UNIT_CHECK(locked_ms < LOCK_MS, "a transaction took %ld ms", locked_ms);
    check_nothing_left(id, "many");
    free(id);
    free(path);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(probe_is_there),
    CASE(members_and_children_refuse_it),
    CASE(the_project_is_closed_from_the_beginning),
    CASE(files_go_too),
    CASE(every_daemon_may_die_in_the_middle),
    CASE(deleting_many_rows_delays_no_request),
    CASE(a_deletion_continues_after_all_daemons_died),
    CASE(rows_created_late_are_deleted_too),
    CASE(a_service_that_only_a_newer_build_calls_is_left_to_it),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(
        &(struct suite_options){.instances = "authd=2,botd=2,docd=2,maild=2,settingsd=2"});
    return unit_run("project deletion", cases, ARRAY_SIZE(cases));
}
