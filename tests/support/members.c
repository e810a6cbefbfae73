/*
 * members.c - see members.h.
 */
#include "tests/support/members.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/browser.h"
#include "tests/support/unit.h"

struct http_answer *member_call(struct suite *suite, const char *method, const char *access,
                                const char *id, const char *rest, json_t *body)
{
    char path[160];

    snprintf(path, sizeof(path), MEMBER_PATH "%s%s%s", *id ? "/" : "", id, rest);
    return http_call(
        suite_url(suite),
        &(struct http_request){.method = method, .path = path, .bearer = access, .body = body});
}

json_t *member_body(const char *email, const char *type, bool as_admin)
{
    return json_pack("{s:s, s:s, s:s, s:s*, s:b}", "email", email, "firstName", "Rui", "lastName",
                     "Costa", "type", type, "admin", as_admin);
}

struct http_answer *member_invite(struct suite *suite, const char *access, const char *email,
                                  const char *type)
{
    return member_call(suite, "POST", access, "", "", member_body(email, type, false));
}

struct http_answer *member_withdraw(struct suite *suite, const char *access, const char *id)
{
    return member_call(suite, "DELETE", access, id, "", NULL);
}

struct http_answer *member_resend(struct suite *suite, const char *access, const char *id)
{
    return member_call(suite, "POST", access, id, "/resend", NULL);
}

struct http_answer *member_set_admin(struct suite *suite, const char *access, const char *id,
                                     bool value)
{
    return member_call(suite, "PATCH", access, id, "", json_pack("{s:b}", "admin", value));
}

json_t *member_body_accept(struct mail_link link, const char *password)
{
    return json_pack("{s:s, s:s, s:s}", "id", link.id, "secret", link.secret, "password", password);
}

struct http_answer *member_accept(struct suite *suite, struct mail_link link, const char *password)
{
    return suite_post_fresh(suite, MEMBER_ACCEPT_PATH, member_body_accept(link, password));
}

void member_verify_for_all(struct suite *suite, const char *email, const char *password)
{
    BROWSER browser = browser_open(suite);
    char form[256];

    snprintf(form, sizeof(form), "email=%s", email);
    CU_ASSERT_EQUAL(browser_get(browser, "/t/-/reset-password"), 200);
    CU_ASSERT_EQUAL(browser_post(browser, "/t/-/reset-password", form), 200);
    suite_mails_settle(suite);
    struct mail_link link = suite_mail_link(suite, email, "/t/-/set-password");
    HTTP_ANSWER set = suite_post_link(suite, "/auth/set-password", &link, NULL, password);
    CHECK_STATUS(set, 204);
}

struct person *member_join(struct suite *suite, const struct person *admin, const char *type,
                           bool as_admin, char ret_id[static 37])
{
    char *email = person_address();
    HTTP_ANSWER made =
        member_call(suite, "POST", admin->access, "", "", member_body(email, type, as_admin));
    struct mail_link link = {"", ""};
    struct person *self;

    if (CHECK_STATUS(made, 200))
        link = suite_mail_link(suite, email,
                               strcmp(type, "Patient") == 0 ? MEMBER_PATIENT_LINK
                                                            : MEMBER_PRACTITIONER_LINK);
    HTTP_ANSWER accepted = member_accept(suite, link, MEMBER_PASSWORD);
    CHECK_STATUS(accepted, 204);
    self = person_sign_in(suite, type, email, MEMBER_PASSWORD, NULL);
    CU_ASSERT_EQUAL(self->status, 200);
    snprintf(ret_id, 37, "%s", http_text(made, "id"));
    free(email);
    return self;
}

json_t *member_listed(struct suite *suite, const char *access, const char *email)
{
    for (int offset = 0;; offset += 100) {
        char path[96];
        json_t *found;

        snprintf(path, sizeof(path), MEMBER_PATH "?_count=100&_offset=%d", offset);
        HTTP_ANSWER list = http_get(suite_url(suite), path, access);
        if (!CHECK_STATUS(list, 200) || json_array_size(http_member(list, "resources")) == 0)
            return NULL;
        found = http_find(http_member(list, "resources"), "email", email);
        if (found)
            return json_incref(found);
    }
}

const char *member_text(const json_t *entry, const char *name)
{
    const char *value = json_string_value(json_object_get(entry, name));

    return value ? value : "";
}

long member_pending_count(struct suite *suite, const char *email)
{
    return suite_count(suite, "select count(*) from auth.invitation where email = '%s'", email);
}

long member_count(struct suite *suite, const char *email)
{
    return suite_count(
        suite,
        "select count(*) from auth.membership m join auth.account a on a.id = m.account_id "
        "where a.email = '%s'",
        email);
}

void member_map_template(struct suite *suite, const char *access, const char *name,
                         const char *body)
{
    char path[128];

    snprintf(path, sizeof(path), "/v1/project/email-templates/%s", name);
    HTTP_ANSWER answer = http_put(suite_url(suite), path, access,
                                  json_pack("{s:s, s:s}", "subject", "Hi", "text", body));
    CHECK_STATUS(answer, 200);
}

struct person *member_equipped_child(struct suite *suite, const char *code)
{
    struct person *self = person_admin_of_child(suite, code);
    char value[64];

    HTTP_ANSWER policy =
        http_post(suite_url(suite), "/v1/project/access-policies", self->access,
                  json_pack("{s:s, s:[{s:s}]}", "name", "Staff", "resource", "resourceType", "*"));
    CHECK_STATUS(policy, 200);
    snprintf(value, sizeof(value), "AccessPolicy/%s", http_text(policy, "id"));
    suite_set_value(suite, self->access, "DEFAULT_PRACTITIONER_ACCESS_POLICY", value);
    suite_set_value(suite, self->access, "PRACTITIONER_APP_URL", "https://child.example");
    member_map_template(suite, self->access, "INVITE_TO_PROJECT", MEMBER_INVITATION_TEXT);
    return self;
}
