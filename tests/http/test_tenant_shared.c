/*
 * test_tenant_shared.c - two tenants that share a practitioner move to one receiver: the second
 * invites the practitioner (docs/transfer.md).
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/members.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define NORTH_APP "https://north.example"
#define CHOSEN "chosen behind the move"

static struct suite *from, *to;
static struct unit_dir files;
static char demo_file[300], north_file[300], key[128];
static char shared[128]; /* address of both tenants' admin */
static char membership[40], profile[40];
static struct person *admin; /* admin of demo, on the sending installation */

static void write_text(char path[static 300], const char *name, const char *text)
{
    FILE *out;

    snprintf(path, 300, "%s/%s", files.path, name);
    out = fopen(path, "we");
    if (!out || fputs(text, out) < 0 || fclose(out) != 0)
        abort();
}

static void two_tenants_share_an_admin(void)
{
    char text[300], policy[300], which[64];

    from = suite_start(&(struct suite_options){.no_demo = false});
    to = suite_start(&(struct suite_options){.no_demo = true, .first_start = true});
    files = unit_dir_make();
    admin = person_admin(from);
    snprintf(shared, sizeof(shared), "%s", admin->email);
    write_text(text, "invite", "{{inviterName}} {{invitationUrl}}");
    write_text(policy, "policy", "{\"name\":\"Staff\",\"resource\":[{\"resourceType\":\"*\"}]}");
    PROGRAM made = ATRIUMCTL(from, NULL, "project", "create", "North", "--code", "north");
    CHECK_EXIT(made, 0);
    PROGRAM rule = ATRIUMCTL(from, NULL, "policy", "put", "--project", "north", policy, "--json");
    CHECK_EXIT(rule, 0);
    snprintf(which, sizeof(which), "AccessPolicy/%s",
             json_string_value(json_object_get(rule->json, "id")));
    PROGRAM first = ATRIUMCTL(from, NULL, "project", "set", "north",
                              "DEFAULT_PRACTITIONER_ACCESS_POLICY", which);
    CHECK_EXIT(first, 0);
    PROGRAM second =
        ATRIUMCTL(from, NULL, "project", "set", "north", "PRACTITIONER_APP_URL", NORTH_APP);
    CHECK_EXIT(second, 0);
    PROGRAM mapped = ATRIUMCTL(from, NULL, "template", "put", "--project", "north",
                               "INVITE_TO_PROJECT", "--subject", "Join", "--text", text);
    CHECK_EXIT(mapped, 0);
    PROGRAM both = ATRIUMCTL(from, NULL, "user", "create-admin", "--project", "north", "--email",
                             shared, "--name", "A", "--surname", "B", "--existing", "--json");
    CHECK_EXIT(both, 0);
    snprintf(membership, sizeof(membership), "%s",
             json_string_value(json_object_get(both->json, "membership")));
    snprintf(profile, sizeof(profile), "%s",
             json_string_value(json_object_get(both->json, "profile")));
    CU_ASSERT_EQUAL(strlen(membership), 36);
    PROGRAM shown = ATRIUMCTL(to, NULL, "tenant", "key");
    CHECK_EXIT(shown, 0);
    snprintf(key, sizeof(key), "%.*s", (int)strcspn(shown->out, "\n"), shown->out);
}

static void export_tenant(char path[static 300], const char *code)
{
    snprintf(path, 300, "%s/%s.tenant", files.path, code);
    PROGRAM held = ATRIUMCTL(from, NULL, "project", "suspend", code);
    CHECK_EXIT(held, 0);
    PROGRAM done = ATRIUMCTL(from, NULL, "tenant", "export", code, path, "--to", key);
    CHECK_EXIT(done, 0);
}

static void open_tenant(const char *code)
{
    PROGRAM opened = ATRIUMCTL(to, NULL, "project", "suspend", code, "--resume");
    CHECK_EXIT(opened, 0);
}

static void the_first_brings_the_account(void)
{
    export_tenant(demo_file, "demo");
    PROGRAM added = ATRIUMCTL(to, NULL, "tenant", "import", demo_file, "--json");
    CHECK_EXIT(added, 0);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(added->json, "invited")), 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(added->json, "administrators")), 1);
    open_tenant("demo");
    PERSON here = person_sign_in(to, "Practitioner", shared, admin->password, "demo");
    CU_ASSERT_EQUAL(here->status, 200);
}

static const json_t *invited_of(const struct program *done)
{
    return json_array_get(json_object_get(done->json, "invited"), 0);
}

static void check_told(const struct program *done)
{
    const json_t *who = invited_of(done);

    CU_ASSERT_EQUAL(json_array_size(json_object_get(done->json, "invited")), 1);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(who, "email")), shared);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(who, "membership")), membership);
    CU_ASSERT_TRUE(json_is_true(json_object_get(who, "admin")));
}

static long accounts_of(const char *what)
{
    return suite_count(to,
                       "select count(*) from auth.%s m join settings.project p on p.id = "
                       "m.project_id where p.name = 'North'",
                       what);
}

static void the_second_invites_its_owner(void)
{
    long accounts = suite_count(to, "select count(*) from auth.account");

    export_tenant(north_file, "north");
    PROGRAM tried = ATRIUMCTL(to, NULL, "tenant", "import", north_file, "--dry-run", "--json");
    CHECK_EXIT(tried, 0);
    check_told(tried);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(tried->json, "administrators")), 0);
    CU_ASSERT_EQUAL(suite_count(to, "select count(*) from auth.transfer_account where invited"), 0);
    CU_ASSERT_EQUAL(suite_count(to, "select count(*) from auth.invitation"), 0);
    PROGRAM added = ATRIUMCTL(to, NULL, "tenant", "import", north_file, "--json");
    CHECK_EXIT(added, 0);
    check_told(added);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(added->json, "administrators")), 0);
    PROGRAM again = ATRIUMCTL(to, NULL, "tenant", "import", north_file, "--resume");
    CHECK_EXIT(again, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(again->out, shared));
    CU_ASSERT_PTR_NOT_NULL(strstr(again->out, "was an admin"));
    CU_ASSERT_PTR_NOT_NULL(strstr(again->out, "user create-admin --project north --mail"));
    CU_ASSERT_EQUAL(suite_count(to, "select count(*) from auth.account"), accounts);
    CU_ASSERT_EQUAL(accounts_of("membership"), 0);
    CU_ASSERT_EQUAL(accounts_of("invitation"), 1);
}

/* verify ignores the file's data about an invited person and compares everything else. */
static void what_came_is_verified(void)
{
    PROGRAM same = ATRIUMCTL(to, NULL, "tenant", "verify", north_file, "--json");
    CHECK_EXIT(same, 0);
    check_told(same);
    CU_ASSERT_EQUAL(suite_count(to, "with u as (update mail.template set subject = subject || '!' "
                                    "where subject = 'Join' returning 1) select count(*) from u"),
                    1);
    PROGRAM other = ATRIUMCTL(to, NULL, "tenant", "verify", north_file);
    CHECK_EXIT(other, 1);
}

/* The last admin: an operator makes the invitation an admin's and sends it. The account belongs to
 * the other tenant, so its owner accepts signed in. */
static void a_shared_practitioner_accepts(void)
{
    open_tenant("north");
    PROGRAM mailed = ATRIUMCTL(to, NULL, "user", "create-admin", "--project", "north", "--email",
                               shared, "--name", "A", "--surname", "B", "--mail", "--json");
    CHECK_EXIT(mailed, 0);
    CU_ASSERT_EQUAL(accounts_of("invitation"), 1);
    struct mail_link link = suite_mail_link(to, shared, NORTH_APP "/invitation");
    CU_ASSERT_STRING_EQUAL(link.id, membership);
    HTTP_ANSWER password = suite_post_link(to, "/auth/set-password", &link, NULL, CHOSEN);
    CHECK_STATUS(password, 409);
    CU_ASSERT_STRING_EQUAL(http_text(password, "code"), "ACCEPT_SIGNED_IN");
    PERSON there = person_sign_in(to, "Practitioner", shared, admin->password, "demo");
    HTTP_ANSWER early = suite_post_link(to, "/auth/invitation/accept", &link, there->access, NULL);
    CHECK_STATUS(early, 403);
    CU_ASSERT_STRING_EQUAL(http_text(early, "code"), "EMAIL_NOT_VERIFIED");
    CU_ASSERT_EQUAL(accounts_of("membership"), 0);
    member_verify_for_all(to, shared, CHOSEN);
    PERSON owner = person_sign_in(to, "Practitioner", shared, CHOSEN, "demo");
    HTTP_ANSWER accepted =
        suite_post_link(to, "/auth/invitation/accept", &link, owner->access, NULL);
    CHECK_STATUS(accepted, 204);
    PERSON here = person_sign_in(to, "Practitioner", shared, CHOSEN, "north");
    CU_ASSERT_EQUAL(here->status, 200);
    HTTP_ANSWER me = http_get(suite_url(to), "/auth/me", here->access);
    CHECK_STATUS(me, 200);
    CU_ASSERT_STRING_EQUAL(http_text(me, "membership.id"), membership);
    CU_ASSERT_STRING_EQUAL(http_text(me, "profile.id"), profile);
    CU_ASSERT_TRUE(json_is_true(http_member(me, "membership.admin")));
    PERSON before = person_sign_in(to, "Practitioner", shared, CHOSEN, "demo");
    CU_ASSERT_EQUAL(before->status, 200);
    CU_ASSERT_EQUAL(accounts_of("invitation"), 0);
}

/* Suspends the project again, because a forged file would only be imported then. verify reports the
 * project's row, because the project has been open, and ignores the invited member's data. */
static void a_file_adds_nothing_to_who_has_accepted(void)
{
    static const char *const tables[] = {"account", "membership", "credential", "invitation"};
    long before = 0, after = 0;

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
        before += suite_count(to, "select count(*) from auth.%s", tables[i]);
    PROGRAM held = ATRIUMCTL(to, NULL, "project", "suspend", "north");
    CHECK_EXIT(held, 0);
    PROGRAM again = ATRIUMCTL(to, NULL, "tenant", "import", north_file, "--resume");
    CHECK_REFUSED(again, 1, "rows of project");
    for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
        after += suite_count(to, "select count(*) from auth.%s", tables[i]);
    CU_ASSERT_EQUAL(before, after);
    PROGRAM other = ATRIUMCTL(to, NULL, "tenant", "verify", north_file, "--json");
    CHECK_EXIT(other, 1); /* the project's row and the template's changed subject differ */
    CU_ASSERT_PTR_NOT_NULL(strstr(other->out, "\"here\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(other->err, "2 tables differ"));
}

static void the_suites_end(void)
{
    person_destroy(&admin);
    unit_dir_remove(&files);
    suite_stop(&from);
    suite_stop(&to);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(two_tenants_share_an_admin),
    CASE(the_first_brings_the_account),
    CASE(the_second_invites_its_owner),
    CASE(what_came_is_verified),
    CASE(a_shared_practitioner_accepts),
    CASE(a_file_adds_nothing_to_who_has_accepted),
    CASE_ALWAYS(the_suites_end),
};

int main(void)
{
    return unit_run("tenants that share practitioners", cases, ARRAY_SIZE(cases));
}
