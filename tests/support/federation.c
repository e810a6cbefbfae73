/*
 * federation.c - see federation.h.
 */
#include "tests/support/federation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/suite_command.h"

struct suite *federation_suite(const struct unit_dir *dir)
{
    char set[200];

    snprintf(set, sizeof(set), "authd.allow_networks=127.0.0.1/32,authd.client_ca_file=%s/cert.pem",
             dir->path);
    return suite_start(
        &(struct suite_options){.instances = "authd=2,gateway=2", .test_clock = true, .set = set});
}

void federation_verify_domain(struct suite *suite, const char *project, const char *domain)
{
    PROGRAM done =
        ATRIUMCTL(suite, NULL, "domain", "verify", domain, "--project", project, "--json");

    UNIT_CHECK(done->code == 0, "%s", done->err);
}

void federation_add(struct suite *suite, const struct person *who, json_t *body,
                    char ret[static 37])
{
    HTTP_ANSWER made = http_post(suite_url(suite), FEDERATION_PROVIDERS, who->access, body);

    CHECK_STATUS(made, 200);
    snprintf(ret, 37, "%s", http_text(made, "id"));
}

const char *federation_path(const char *url)
{
    const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;

    return path ? path : "/";
}

const char *federation_parameter(const char *url, const char *name)
{
    static char kept[512];
    TEXT value = identity_provider_parameter(url, name);

    snprintf(kept, sizeof(kept), "%s", value ? value : "");
    return kept;
}

struct http_answer *federation_start(struct suite *suite, const char *role, const char *tenant,
                                     const char *provider, const char *redirect)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/federated/start", role);
    return http_post(suite_url(suite), path, NULL,
                     json_pack("{s:s, s:s, s:s, s:s}", "tenantCode", tenant, "providerId", provider,
                               "codeChallenge", pkce_challenge, "redirectUri", redirect));
}

char *federation_follow(struct suite *suite, const char *callback)
{
    HTTP_ANSWER answer = http_get(suite_url(suite), federation_path(callback), NULL);
    char *location = http_header(answer, "Location");

    return location ? location : strdup("");
}

struct http_answer *federation_redeem(struct suite *suite, const char *role, const char *location,
                                      const char *tenant)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/%s/login/token", role);
    return http_post(suite_url(suite), path, NULL,
                     body_login_token(federation_parameter(location, "sessionCode"), tenant));
}
