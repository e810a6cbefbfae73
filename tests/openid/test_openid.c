/*
 * test_openid.c - published OpenID clients, unmodified, sign people in at an issuer (`make
 * test-openid`).
 *
 * Each flow is a function of tests/openid/CLIENT.mjs in its own process, with a person whose
 * browser is tests/openid/browser.mjs. The clients come from npm (make openid). Other clients are
 * programs with all their flows. Prints the tables for docs/openid.md if they differ from the
 * results.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/oauth.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define RESOURCE "https://fhir.example/r4"
#define HOME "https://app.example/bye"

enum { FLOW_MS = 60000, CLIENTS = 2, FLOWS = 9, OTHERS = 6 };

static const char *const clients[CLIENTS] = {"openid-client", "oauth4webapi"};
static const struct flow {
    const char *name, *text;
} flows[FLOWS] = {
    {"code", "code with PKCE, `state` and `nonce`; ID token; userinfo"},
    {"par", "pushed request (RFC 9126)"},
    {"dpop", "tokens bound to a key (RFC 9449), with a nonce"},
    {"refresh", "refresh with a new refresh token"},
    {"introspection", "introspection (RFC 7662)"},
    {"revocation", "revocation (RFC 7009)"},
    {"logout", "logout at `end_session_endpoint`, with `id_token_hint` and `state`"},
    {"device", "a device that a person approves (RFC 8628)"},
    {"client_credentials", "a token for the client itself, for a `resource`"},
};

static const struct other {
    const char *interpreter, *program, *name, *text;
} others[OTHERS] = {
    {"node", "tests/openid/oidc-client-ts.mjs", "oidc-client-ts 3.5, in Chromium",
     "code with PKCE, userinfo, silent refresh, revocation"},
    {"node", "tests/openid/fhirclient.mjs", "fhirclient 2.6 (SMART), in Chromium",
     "standalone launch and refresh; launch from a record; reads of a FHIR server"},
    {"node", "tests/openid/apache.mjs",
     "Apache, libapache2-mod-auth-openidc 2.4, libapache2-mod-oauth2 3.3",
     "a page for people who have signed in; an API for programs with a token"},
    {"node", "tests/openid/demo-rp.mjs",
     "the program that `client create --demo-rp` prints, with openid-client 6.8",
     "code with PKCE, ID token, userinfo"},
    {"/usr/bin/python3", "tests/openid/python-authlib.py", "Authlib 1.2, of Python",
     "code with PKCE, ID token, userinfo, refresh, introspection, revocation"},
    {"node", "tests/openid/oidc-agent.mjs", "oidc-agent 4.2, at the command line",
     "code with PKCE, sent to its own web server; a device that a person approves; refresh"},
};

static struct suite *suite;
static struct person *patient;
static char *place; /* run.mjs's input */
static bool passed[CLIENTS][FLOWS], others_passed[OTHERS];

static bool left_out(void)
{
    if (access("build/npm/installed/openid", R_OK) == 0)
        return false;
    unit_leave_out("the clients are not installed (make npm-openid)");
    return true;
}

/* Returns the issuer's URL from its discovery document. */
static char *issuer_of_demo(void)
{
    HTTP_ANSWER found =
        http_get(suite_url(suite), "/t/demo/.well-known/openid-configuration", NULL);

    CHECK_STATUS(found, 200);
    return strdup(http_text(found, "issuer"));
}

/* Returns the text between `begin` and `end` (caller frees). */
static char *part(const char *text, const char *begin, const char *end)
{
    const char *first = strstr(text, begin), *last = first ? strstr(first, end) : NULL;

    UNIT_CHECK(last != NULL, "%s ... %s in %s", begin, end, text);
    return last ? strndup(first, (size_t)(last - first)) : strdup("");
}

static void the_scene_is_set(void)
{
    PERSON admin = person_admin(suite);
    char *issuer = issuer_of_demo();
    char *id = oauth_register(
        suite, admin,
        "{\"type\":\"confidential\",\"authMethod\":\"client_secret_basic\","
        "\"grantTypes\":[\"authorization_code\",\"refresh_token\","
        "\"client_credentials\","
        "\"urn:ietf:params:oauth:grant-type:device_code\"],\"audiences\":[\"" RESOURCE "\"],"
        "\"postLogoutRedirectUris\":[\"" HOME "\"],"
        "\"scopes\":[\"openid\",\"profile\",\"email\",\"read\"]}");
    char *secret = oauth_secret(suite, admin, id);

    patient = person_register(suite, NULL);
    char *in_browser =
        oauth_register(suite, admin, "{\"redirectUris\":[\"http://127.0.0.1/callback\"]}");
    PROGRAM demo =
        ATRIUMCTL(suite, NULL, "client", "create", "Demo", "--project", "demo", "--demo-rp");
    char *program = part(demo->out, "// npm", "\n# Apache");
    char *apache = part(demo->out, "# Apache", "\n# oauth2-proxy");
    json_t *said = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s}, s:s, s:{s:s, s:s, s:s, s:s}}",
        "issuer", issuer, "id", id, "secret", secret, "publicId", in_browser, "program", program,
        "apache", apache, "redirect", OAUTH_REDIRECT, "home", HOME, "resource", RESOURCE, "person",
        "email", patient->email, "password", patient->password, "patient",
        patient->profile + strlen("Patient/"), "admin", "email", admin->email, "password",
        admin->password, "access", admin->access, "profile", admin->profile);
    place = json_dumps(said, 0);
    json_decref(said);
    free(apache);
    free(program);
    free(in_browser);
    free(secret);
    free(issuer);
    free(id);
}

static void each_client_goes_each_flow(void)
{
    if (left_out())
        return;
    for (size_t c = 0; c < CLIENTS; c++) {
        for (size_t f = 0; f < FLOWS; f++) {
            PROGRAM run =
                program_start((const char *const[]){"/usr/bin/env", "node", "tests/openid/run.mjs",
                                                    clients[c], flows[f].name, NULL},
                              place);
            passed[c][f] = program_wait_end(run, FLOW_MS) && run->code == 0;
            UNIT_CHECK(passed[c][f], "%s %s: %d %s", clients[c], flows[f].name, run->code,
                       run->err);
        }
    }
}

static void the_others_go_theirs(void)
{
    if (left_out())
        return;
    for (size_t i = 0; i < OTHERS; i++) {
        PROGRAM run = program_start((const char *const[]){"/usr/bin/env", others[i].interpreter,
                                                          others[i].program, NULL},
                                    place);

        others_passed[i] = program_wait_end(run, FLOW_MS) && run->code == 0;
        UNIT_CHECK(others_passed[i], "%s: %d %s%s", others[i].program, run->code, run->out,
                   run->err);
    }
}

/* Returns the tables of passed flows (caller frees). */
static char *tables(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "| flow |");
    for (size_t c = 0; c < CLIENTS; c++)
        fprintf(out, " %s |", clients[c]);
    fprintf(out, "\n|---|---|---|\n");
    for (size_t f = 0; f < FLOWS; f++) {
        fprintf(out, "| %s |", flows[f].text);
        for (size_t c = 0; c < CLIENTS; c++)
            fprintf(out, " %s |", passed[c][f] ? "passed" : "failed");
        fprintf(out, "\n");
    }
    fprintf(out, "\n| program | flows | |\n|---|---|---|\n");
    for (size_t i = 0; i < OTHERS; i++)
        fprintf(out, "| %s | %s | %s |\n", others[i].name, others[i].text,
                others_passed[i] ? "passed" : "failed");
    fclose(out);
    return text;
}

static void the_tables_of_the_docs_are_what_passed(void)
{
    char *text, *page;

    if (left_out())
        return;
    text = tables();
    page = unit_read_file("docs/openid.md");
    UNIT_CHECK(strstr(page, text) != NULL, "docs/openid.md lacks\n%s", text);
    free(page);
    free(text);
}

static void suite_shuts_down_cleanly(void)
{
    person_destroy(&patient);
    free(place);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_scene_is_set),
    CASE(each_client_goes_each_flow),
    CASE(the_others_go_theirs),
    CASE(the_tables_of_the_docs_are_what_passed),
    CASE_ALWAYS(suite_shuts_down_cleanly),
};

int main(void)
{
    suite = suite_start(&(struct suite_options){.instances = "authd=2,gateway=2"});
    return unit_run("openid", cases, ARRAY_SIZE(cases));
}
