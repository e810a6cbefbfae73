/*
 * test_audit_admin.c - admin actions on a project and its people: each request leaves exactly its
 * one audit row, or none.
 */
#include <CUnit/CUnit.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/audited.h"
#include "tests/support/document.h"
#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

#define MEMBERS "/v1/projects/me/members"
#define ACCOUNTS "/v1/project/accounts"
#define POLICIES "/v1/project/access-policies"
#define KEYS "/v1/project/api-keys"
#define DOMAINS "/v1/project/domains"
#define PROVIDERS "/v1/project/identity-providers"
#define SCIM_TOKENS "/v1/project/scim-tokens"
#define SCIM_MAPPINGS "/v1/project/scim-mappings"
#define RESOURCES "/v1/project/resources"
#define CLIENTS "/v1/project/clients"
#define TEMPLATES "/v1/project/email-templates"
#define WEBHOOKS "/v1/project/webhooks"
#define NOBODY "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

static struct suite *suite;
static struct person *admin;

static struct http_request member_create(void)
{
    return audited_by(admin, "POST", MEMBERS,
                      json_pack("{s:s, s:s, s:s}", "email", audited_text(person_address()),
                                "firstName", "Rui", "lastName", "Costa"));
}

static struct http_request account_import(void)
{
    return audited_by(admin, "POST", "/v1/projects/me/imports",
                      json_pack("{s:[{s:s, s:s, s:s}]}", "accounts", "email",
                                audited_text(person_address()), "firstName", "Ana", "lastName",
                                "Lima"));
}

static const char *made(struct http_request request)
{
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 200);
    return audited_text(strdup(http_text(answer, "id")));
}

static struct http_request member_patch(void)
{
    return audited_by(admin, "PATCH", audited_path(MEMBERS "/%s", made(member_create())),
                      json_pack("{s:b}", "admin", true));
}

static struct http_request member_delete(void)
{
    return audited_by(admin, "DELETE", audited_path(MEMBERS "/%s", made(member_create())), NULL);
}

static struct http_request member_resend(void)
{
    return audited_by(admin, "POST", audited_path(MEMBERS "/%s/resend", made(member_create())),
                      NULL);
}

static const char *account_of(const struct person *who)
{
    return audited_text(suite_account(suite, who->email));
}

static struct http_request account_read(void)
{
    return audited_by(admin, "GET", audited_path(ACCOUNTS "/%s", account_of(audited_patient())),
                      NULL);
}

static struct http_request account_sessions(void)
{
    return audited_by(admin, "GET",
                      audited_path(ACCOUNTS "/%s/sessions", account_of(audited_patient())), NULL);
}

static struct http_request account_explain(void)
{
    return audited_by(admin, "GET",
                      audited_path(ACCOUNTS "/%s/explain", account_of(audited_patient())), NULL);
}

static struct http_request account_act(const struct person *who, const char *act)
{
    HTTP_ANSWER proven =
        http_post(suite_url(suite), "/auth/step-up", admin->access,
                  json_pack("{s:s}", "password", suite_text(suite, "demo.adminPassword")));

    CHECK_STATUS(proven, 204);
    return audited_by(admin, "POST", audited_path(ACCOUNTS "/%s/%s", account_of(who), act),
                      json_pack("{s:s}", "reason", "a ticket"));
}

static void act_first(const struct person *who, const char *act)
{
    struct http_request request = account_act(who, act);
    HTTP_ANSWER answer = http_call(suite_url(suite), &request);

    CHECK_STATUS(answer, 204);
}

/* has no session, because ending one would leave another row */
static const struct person *signed_out(void)
{
    const struct person *who = audited_patient();

    act_first(who, "end-sessions");
    return who;
}

static struct http_request account_lock(void)
{
    return account_act(signed_out(), "lock");
}

static struct http_request account_unlock(void)
{
    const struct person *who = audited_patient();

    act_first(who, "lock");
    return account_act(who, "unlock");
}

static struct http_request account_end_sessions(void)
{
    return account_act(signed_out(), "end-sessions");
}

static struct http_request account_session_end(void)
{
    const struct person *who = audited_patient();
    const char *session =
        audited_text(suite_query(suite, "select id from auth.session where ended_at is null "
                                        "order by created_at desc, id desc limit 1"));

    return account_act(who, audited_path("sessions/%s/end", session));
}

static struct http_request account_identities(void)
{
    return audited_by(admin, "GET",
                      audited_path(ACCOUNTS "/%s/identities", account_of(audited_patient())), NULL);
}

static struct http_request account_reset_mfa(void)
{
    const struct person *who = audited_patient();
    struct audited_factor factor;

    audited_enroll(who, &factor);
    act_first(who, "end-sessions");
    return account_act(who, "reset-mfa");
}

static struct http_request account_send_reset(void)
{
    return account_act(audited_patient(), "send-reset");
}

static struct http_request account_schedule_deletion(void)
{
    return account_act(audited_patient(), "schedule-deletion");
}

static struct http_request account_cancel_deletion(void)
{
    const struct person *who = audited_patient();

    act_first(who, "schedule-deletion");
    return account_act(who, "cancel-deletion");
}

static struct http_request code_email(void)
{
    return audited_by(admin, "POST", "/organizations/code/email",
                      json_pack("{s:s}", "email", "somebody@patients.example"));
}

static struct http_request locales(void)
{
    return audited_by(admin, "PATCH", "/locales", json_pack("{s:s}", "defaultLanguage", "de"));
}

static struct http_request setting_switch(void)
{
    return audited_by(admin, "PUT", "/v1/project/settings/PATIENT_INVITATION_ENABLED",
                      json_pack("{s:b}", "enabled", true));
}

static struct http_request setting_value(void)
{
    return audited_by(admin, "PUT", "/v1/project/settings/values/PATIENT_APP_URL",
                      json_pack("{s:s}", "value", "https://patient.demo.example"));
}

static struct http_request account_policy(void)
{
    return audited_by(admin, "PUT", "/v1/project/account-policy",
                      json_pack("{s:i}", "documentsPerAccount", 20000));
}

static struct http_request branding(void)
{
    return audited_by(admin, "PUT", "/v1/project/branding", json_pack("{s:s}", "name", "Demo"));
}

static struct http_request brand_logo(void)
{
    size_t size;
    char *png = test_png(8, 8, &size), text[4096];

    sodium_bin2base64(text, sizeof(text), (const uint8_t *)png, size,
                      sodium_base64_VARIANT_ORIGINAL);
    free(png);
    return audited_by(admin, "PUT", "/v1/project/branding/logo", json_pack("{s:s}", "image", text));
}

static struct http_request brand_logo_gone(void)
{
    return audited_by(admin, "DELETE", "/v1/project/branding/logo", NULL);
}

static struct http_request default_policy(void)
{
    return audited_by(admin, "PUT", "/v1/project/default-patient-access-policy",
                      json_pack("{s:s}", "value", suite_text(suite, "demo.patientAccessPolicy")));
}

static struct http_request project_child(void)
{
    return audited_by(admin, "POST", "/v1/slim/project/child",
                      json_pack("{s:s}", "name", "A child"));
}

static json_t *body_policy(void)
{
    return json_pack("{s:s, s:[{s:s}]}", "name", "All", "resource", "resourceType", "*");
}

static struct http_request policy_create(void)
{
    return audited_by(admin, "POST", POLICIES, body_policy());
}

static struct http_request policy_replace(void)
{
    return audited_by(admin, "PUT", audited_path(POLICIES "/%s", made(policy_create())),
                      body_policy());
}

static struct http_request policy_delete(void)
{
    return audited_by(admin, "DELETE", audited_path(POLICIES "/%s", made(policy_create())), NULL);
}

static struct http_request key_create(void)
{
    return audited_by(admin, "POST", KEYS,
                      json_pack("{s:s, s:s}", "name", "Laboratory", "accessPolicy",
                                audited_path("AccessPolicy/%s", made(policy_create()))));
}

static struct http_request key_delete(void)
{
    return audited_by(admin, "DELETE", audited_path(KEYS "/%s", made(key_create())), NULL);
}

static struct http_request domain_create(void)
{
    static int number;

    return audited_by(admin, "POST", DOMAINS,
                      json_pack("{s:o}", "domain", json_sprintf("clinic%d.example", number++)));
}

/* Its operator has verified it already; test_domains has the row of a verification. */
static struct http_request domain_verify(void)
{
    PROGRAM done = ATRIUMCTL(suite, NULL, "domain", "verify", "--project", "demo", "own.example");

    CHECK_EXIT(done, 0);
    return audited_by(admin, "POST", DOMAINS "/own.example/verify", json_object());
}

static struct http_request scim_token_create(void)
{
    return audited_by(admin, "POST", SCIM_TOKENS, json_pack("{s:s}", "name", "Directory"));
}

static struct http_request scim_token_delete(void)
{
    HTTP_ANSWER list = http_get(suite_url(suite), SCIM_TOKENS, admin->access);

    return audited_by(admin, "DELETE",
                      audited_path(SCIM_TOKENS "/%s", http_text(list, "resources.0.id")), NULL);
}

static struct http_request scim_mappings_write(void)
{
    return audited_by(admin, "PUT", SCIM_MAPPINGS, json_pack("{s:[]}", "resources"));
}

static struct http_request domain_delete(void)
{
    return audited_by(admin, "DELETE", DOMAINS "/own.example", NULL);
}

static json_t *body_provider(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:[s]}", "name", "Staff", "preset", "oidc", "issuer",
                     "https://login.example", "clientId", "atrium", "roles", "practitioners");
}

static struct http_request provider_create(void)
{
    return audited_by(admin, "POST", PROVIDERS, body_provider());
}

static struct http_request provider_replace(void)
{
    return audited_by(admin, "PUT", audited_path(PROVIDERS "/%s", made(provider_create())),
                      body_provider());
}

static struct http_request provider_delete(void)
{
    return audited_by(admin, "DELETE", audited_path(PROVIDERS "/%s", made(provider_create())),
                      NULL);
}

static struct http_request account_identity_unlink(void)
{
    const struct person *who = audited_patient();
    const char *sql = audited_path("insert into auth.identity select gen_random_uuid(), id, "
                                   "project_id, issuer, '%s', 'Patient', '%s', 1, 1 from "
                                   "auth.identity_provider limit 1 returning id",
                                   made(provider_create()), account_of(who));

    return account_act(who,
                       audited_path("identities/%s/unlink", audited_text(suite_query(suite, sql))));
}

static json_t *body_fhir_server(void)
{
    static int number;

    return json_pack("{s:s, s:o}", "name", "Records", "base",
                     json_sprintf("https://fhir%d.example/r4", number++));
}

static struct http_request fhir_server_create(void)
{
    return audited_by(admin, "POST", RESOURCES, body_fhir_server());
}

static struct http_request fhir_server_replace(void)
{
    return audited_by(admin, "PUT", audited_path(RESOURCES "/%s", made(fhir_server_create())),
                      body_fhir_server());
}

static struct http_request fhir_server_delete(void)
{
    return audited_by(admin, "DELETE", audited_path(RESOURCES "/%s", made(fhir_server_create())),
                      NULL);
}

static char launch_row[128]; /* want of launch_create(): its action with the client's id */

static struct http_request launch_create(void)
{
    const struct person *who = audited_patient();
    HTTP_ANSWER server = http_post(suite_url(suite), RESOURCES, admin->access, body_fhir_server());
    HTTP_ANSWER client =
        http_post(suite_url(suite), CLIENTS, admin->access,
                  json_pack("{s:s, s:[s], s:[s], s:[s], s:[s]}", "name", "Chart", "redirectUris",
                            "https://app.example/cb", "grantTypes", "authorization_code", "scopes",
                            "launch", "audiences", http_text(server, "base")));

    snprintf(launch_row, sizeof(launch_row), "launch.create success Patient %s",
             http_text(client, "id"));
    return audited_by(admin, "POST", "/v1/launch",
                      json_pack("{s:s, s:s, s:s}", "clientId", http_text(client, "id"), "resource",
                                http_text(server, "id"), "patient", strchr(who->profile, '/') + 1));
}

static struct http_request client_create(void)
{
    return audited_by(admin, "POST", CLIENTS, json_pack("{s:s}", "name", "Portal"));
}

static json_t *body_client(void)
{
    return json_pack("{s:s, s:s, s:s, s:[s]}", "name", "Portal", "type", "confidential",
                     "authMethod", "client_secret_basic", "grantTypes", "client_credentials");
}

static struct http_request client_replace(void)
{
    return audited_by(admin, "PUT", audited_path(CLIENTS "/%s", made(client_create())),
                      body_client());
}

static struct http_request client_secret(void)
{
    return audited_by(admin, "POST",
                      audited_path(CLIENTS "/%s/secret",
                                   made(audited_by(admin, "POST", CLIENTS, body_client()))),
                      json_object());
}

static struct http_request client_delete(void)
{
    return audited_by(admin, "DELETE", audited_path(CLIENTS "/%s", made(client_create())), NULL);
}

static struct http_request template_put(void)
{
    return audited_by(admin, "PUT", TEMPLATES "/PATIENT_INVITE",
                      json_pack("{s:s, s:s, s:s}", "subject", "Bonjour", "text",
                                "{{invitationUrl}}", "language", "fr"));
}

static struct http_request template_delete(void)
{
    HTTP_ANSWER answer =
        http_put(suite_url(suite), TEMPLATES "/PATIENT_INVITE", admin->access,
                 json_pack("{s:s, s:s, s:s}", "subject", "Ciao", "text", "t", "language", "it"));

    CHECK_STATUS(answer, 200);
    return audited_by(admin, "DELETE", TEMPLATES "/PATIENT_INVITE?language=it", NULL);
}

static json_t *body_webhook(void)
{
    return json_pack("{s:s, s:[s]}", "url", "https://hooks.example/", "events", "session.created");
}

static struct http_request webhook_create(void)
{
    return audited_by(admin, "POST", WEBHOOKS, body_webhook());
}

static struct http_request webhook_replace(void)
{
    return audited_by(admin, "PUT", audited_path(WEBHOOKS "/%s", made(webhook_create())),
                      body_webhook());
}

static struct http_request webhook_exchange(void)
{
    return audited_by(admin, "POST", audited_path(WEBHOOKS "/%s/secret", made(webhook_create())),
                      json_object());
}

static struct http_request webhook_redeliver(void)
{
    return audited_by(admin, "POST", audited_path(WEBHOOKS "/%s/redeliver", made(webhook_create())),
                      json_object());
}

static struct http_request webhook_test(void)
{
    return audited_by(admin, "POST", audited_path(WEBHOOKS "/%s/test", made(webhook_create())),
                      NULL);
}

static struct http_request webhook_delete(void)
{
    return audited_by(admin, "DELETE", audited_path(WEBHOOKS "/%s", made(webhook_create())), NULL);
}

static struct http_request setting_lost(void)
{
    struct http_request request = setting_switch();

    request.headers[1] = "If-Match: \"0\"";
    return request;
}

static struct http_request setting_bad(void)
{
    return audited_by(admin, "PUT", "/v1/project/settings/values/PATIENT_APP_URL",
                      json_pack("{s:s}", "value", "no url"));
}

static struct http_request policy_in_use(void)
{
    return audited_by(admin, "DELETE",
                      audited_path(POLICIES "/%s",
                                   strchr(suite_text(suite, "demo.patientAccessPolicy"), '/') + 1),
                      NULL);
}

static struct http_request policy_absent(void)
{
    return audited_by(admin, "PUT", POLICIES "/" NOBODY, body_policy());
}

static struct http_request client_absent(void)
{
    return audited_by(admin, "DELETE", CLIENTS "/" NOBODY, NULL);
}

static struct http_request template_absent(void)
{
    return audited_by(admin, "DELETE", TEMPLATES "/PATIENT_INVITE?language=xx", NULL);
}

static const struct audited audited[] = {
    {"member_create", member_create, 200, "invitation.create success Invitation Practitioner"},
    {"account_import", account_import, 200, "account.import success Account"},
    {"member_patch", member_patch, 200, "invitation.update success Invitation admin"},
    {"member_delete", member_delete, 200, "invitation.withdraw success Invitation"},
    {"member_resend", member_resend, 200, "invitation.renew success Invitation Practitioner"},
    {"project_account_get", account_read, 200, "account.read success Account"},
    {"project_account_sessions", account_sessions, 200, "account.read success Account sessions"},
    {"project_account_explain", account_explain, 200, "account.read success Account explain"},
    {"project_account_identities", account_identities, 200,
     "account.read success Account identities"},
    {"project_account_lock", account_lock, 204, "membership.lock success ProjectMembership"},
    {"project_account_unlock", account_unlock, 204, "membership.unlock success ProjectMembership"},
    {"project_account_end_sessions", account_end_sessions, 204,
     "account.end-sessions success Account"},
    {"project_account_session_end", account_session_end, 204,
     "session.end success Session revoked"},
    {"project_account_reset_mfa", account_reset_mfa, 204, "mfa.reset success Account"},
    {"project_account_send_reset", account_send_reset, 204, "password.link success Account"},
    {"project_account_schedule_deletion", account_schedule_deletion, 204,
     "deletion.schedule success Account"},
    {"project_account_cancel_deletion", account_cancel_deletion, 204,
     "deletion.abort success Account"},
    {"organization_code_email", code_email, 200, "code.mail success Project"},
    {"locales_patch", locales, 200, "locales.write success Project"},
    {"setting_switch", setting_switch, 200,
     "setting.write success Project PATIENT_INVITATION_ENABLED"},
    {"setting_value", setting_value, 200, "setting.write success Project PATIENT_APP_URL"},
    {"account_policy_put", account_policy, 200, "account-policy.write success Project"},
    {"branding_put", branding, 200, "branding.write success Project"},
    {"brand_logo_put", brand_logo, 200, "branding.logo success Project"},
    {"brand_logo_delete", brand_logo_gone, 200, "branding.logo-delete success Project"},
    {"default_policy", default_policy, 200,
     "setting.write success Project defaultPatientAccessPolicy"},
    {"project_child", project_child, 200, "project.create success Project"},
    {"access_policy_create", policy_create, 200, "policy.create success AccessPolicy"},
    {"access_policy_replace", policy_replace, 200, "policy.replace success AccessPolicy"},
    {"access_policy_delete", policy_delete, 204, "policy.delete success AccessPolicy"},
    {"api_key_create", key_create, 200, "api-key.create success ApiKey"},
    {"api_key_delete", key_delete, 204, "api-key.delete success ApiKey"},
    {"project_domain_add", domain_create, 200, "domain.add success clinic0.example"},
    {"project_domain_verify", domain_verify, 200, NULL},
    {"scim_token_create", scim_token_create, 200, "scim.token-create success ScimToken"},
    {"scim_token_delete", scim_token_delete, 204, "scim.token-delete success ScimToken"},
    {"scim_mappings_write", scim_mappings_write, 200, "scim.mapping-write success"},
    {"project_domain_delete", domain_delete, 204, "domain.delete success own.example"},
    {"identity_provider_create", provider_create, 200, "provider.write success IdentityProvider"},
    {"identity_provider_replace", provider_replace, 200, "provider.write success IdentityProvider"},
    {"identity_provider_delete", provider_delete, 204, "provider.delete success IdentityProvider"},
    {"project_account_identity_unlink", account_identity_unlink, 204,
     "identity.unlink success Account Staff"},
    {"fhir_server_create", fhir_server_create, 200, "fhir-server.create success FhirServer"},
    {"fhir_server_replace", fhir_server_replace, 200, "fhir-server.replace success FhirServer"},
    {"fhir_server_delete", fhir_server_delete, 204, "fhir-server.delete success FhirServer"},
    {"launch_create", launch_create, 200, launch_row},
    {"client_create", client_create, 200, "client.create success ClientApplication"},
    {"client_replace", client_replace, 200, "client.replace success ClientApplication"},
    {"client_secret", client_secret, 200, "client.secret success ClientApplication"},
    {"client_delete", client_delete, 204, "client.delete success ClientApplication"},
    {"email_template_put", template_put, 200, "template.write success Project PATIENT_INVITE"},
    {"email_template_delete", template_delete, 204,
     "template.delete success Project PATIENT_INVITE"},
    {"webhook_create", webhook_create, 200, "webhook.create success Webhook"},
    {"webhook_replace", webhook_replace, 200, "webhook.replace success Webhook"},
    {"webhook_exchange", webhook_exchange, 200, "webhook.exchange success Webhook"},
    {"webhook_redeliver", webhook_redeliver, 200, "webhook.redeliver success Webhook"},
    {"webhook_test", webhook_test, 200, "webhook.test success Webhook"},
    {"webhook_delete", webhook_delete, 204, "webhook.delete success Webhook"},

    {"setting_switch", setting_lost, 409, NULL},
    {"setting_value", setting_bad, 422, NULL},
    {"access_policy_delete", policy_in_use, 409, NULL},
    {"access_policy_replace", policy_absent, 404, NULL},
    {"client_delete", client_absent, 404, NULL},
    {"email_template_delete", template_absent, 404, NULL},
};

int main(void)
{
    return audited_run("audit of administration", audited, ARRAY_SIZE(audited), AUDITED_ADMIN,
                       &suite, &admin);
}
