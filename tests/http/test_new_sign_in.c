/*
 * test_new_sign_in.c - the email about a sign-in whose address and user agent are both new to the
 * account.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define TEMPLATE "/v1/project/email-templates/NEW_SIGN_IN"
#define HOME "127.9.0.1"
#define AGENT_OF_HOME "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0"
#define AGENT_OF_THIEF                                                                   \
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 " \
    "Safari/537.36"

enum { WELCOME = 1 }; /* the email that every patient gets */

static struct suite *suite;

struct place {
    const char *source, *agent;
};

static const struct place home = {HOME, AGENT_OF_HOME};

static struct http_answer *post_from(const struct place *from, const char *path, json_t *body)
{
    char header[256];

    snprintf(header, sizeof(header), "User-Agent: %s", from->agent);
    return http_call(suite_url(suite), &(struct http_request){.method = "POST",
                                                              .path = path,
                                                              .source = from->source,
                                                              .body = body,
                                                              .headers = {header}});
}

/* Registers a patient at home and returns the address. */
static char *registered(void)
{
    char *email = person_address();
    HTTP_ANSWER answer =
        post_from(&home, "/auth/tenant/Patient/register", body_register(email, "demo"));

    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, WELCOME));
    return email;
}

static struct http_answer *start_from(const struct place *from, const char *email)
{
    return post_from(from, "/auth/tenant/Patient/login/start",
                     body_login_start(email, "correct horse battery staple", "demo"));
}

static void sign_in_from(const struct place *from, const char *email)
{
    HTTP_ANSWER start = start_from(from, email);
    HTTP_ANSWER token = post_from(from, "/auth/tenant/Patient/login/token",
                                  body_login_token(http_text(start, "sessionCode"), NULL));

    CHECK_STATUS(token, 200);
}

static void check_quiet(const char *email, size_t mails)
{
    usleep(700000);
    CU_ASSERT_EQUAL(suite_mail_count(suite, email), mails);
}

static void map_template(const struct person *admin)
{
    HTTP_ANSWER answer = http_put(suite_url(suite), TEMPLATE, admin->access,
                                  json_pack("{s:s, s:s}", "subject", "New sign-in", "text",
                                            "at {{when}} with {{browser}} on {{os}} from "
                                            "{{address}}"));

    CHECK_STATUS(answer, 200);
}

static void an_unmapped_template_mails_nothing(void)
{
    static const struct place away = {"127.9.1.1", AGENT_OF_THIEF};
    char *email = registered();

    sign_in_from(&away, email);
    check_quiet(email, WELCOME);
    free(email);
}

static void both_new_is_mailed_once(void)
{
    static const struct place away = {"127.9.2.1", AGENT_OF_THIEF};
    PERSON admin = person_admin(suite);
    char *email = registered(), *mail;

    map_template(admin);
    sign_in_from(&home, email);
    sign_in_from(&away, email);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, WELCOME + 1));
    mail = suite_mail(suite, email, 5000);
    CU_ASSERT_TRUE(mail && strstr(mail, "with Chrome on Windows from 127.9.2.1"));
    sign_in_from(&away, email);
    sign_in_from(&home, email);
    check_quiet(email, WELCOME + 1);
    free(mail);
    free(email);
}

static void one_of_the_two_new_is_not_mailed(void)
{
    static const struct place journey = {"127.9.3.1", AGENT_OF_HOME};
    static const struct place update = {HOME, "Mozilla/5.0 Firefox/129.0"};
    char *email = registered();

    sign_in_from(&journey, email);
    sign_in_from(&update, email);
    check_quiet(email, WELCOME);
    free(email);
}

/* Two right passwords without a finished sign-in make an address known only to the throttle, so a
 * later sign-in from there is still reported. */
static void unfinished_sign_ins_make_no_address_known(void)
{
    static const struct place away = {"127.9.4.1", AGENT_OF_THIEF};
    char *email = registered();

    for (int i = 0; i < 3; i++) {
        HTTP_ANSWER start = start_from(&away, email);
        CHECK_STATUS(start, 200);
    }
    sign_in_from(&away, email);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, WELCOME + 1));
    free(email);
}

static void a_one_step_sign_in_is_mailed_too(void)
{
    static const struct place away = {"127.9.5.1", "strange/1.0"};
    char *email = registered(), *mail;
    HTTP_ANSWER answer = post_from(&away, "/v2/auth/login",
                                   json_pack("{s:s, s:s, s:s}", "email", email, "password",
                                             "correct horse battery staple", "clientId",
                                             suite_text(suite, "demo.clientId")));

    CHECK_STATUS(answer, 200);
    CU_ASSERT_TRUE(suite_mails_arrive(suite, email, WELCOME + 1));
    mail = suite_mail(suite, email, 5000);
    CU_ASSERT_TRUE(mail && strstr(mail, "with unknown on unknown from 127.9.5.1"));
    free(mail);
    free(email);
}

static void suite_shuts_down_cleanly(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(an_unmapped_template_mails_nothing), CASE(both_new_is_mailed_once),
    CASE(one_of_the_two_new_is_not_mailed),   CASE(unfinished_sign_ins_make_no_address_known),
    CASE(a_one_step_sign_in_is_mailed_too),   CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("new sign-in", cases, ARRAY_SIZE(cases));
}
