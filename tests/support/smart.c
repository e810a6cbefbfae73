/*
 * smart.c - see smart.h.
 */
#include "tests/support/smart.h"

#include <stdio.h>

const char *smart_server_path(const char *id)
{
    static char path[128];

    snprintf(path, sizeof(path), SMART_SERVERS "/%s", id);
    return path;
}

json_t *smart_server_body(const char *base)
{
    return json_pack("{s:s, s:s, s:[s,s], s:[s,s,s]}", "name", "Records", "base", base,
                     "patientScopes", "patient/Observation.rs", "patient/Patient.r",
                     "practitionerScopes", "patient/*.rs", "user/Patient.rs",
                     "user/Observation.cruds");
}

struct http_answer *smart_server_register(const struct suite *suite, const struct person *who,
                                          json_t *body)
{
    return http_post(suite_url(suite), SMART_SERVERS, who->access, body);
}

struct http_answer *smart_configuration(const struct suite *suite, const char *tenant,
                                        const char *id)
{
    char path[160];

    snprintf(path, sizeof(path), "/t/%s/smart/%s/.well-known/smart-configuration", tenant, id);
    return http_get(suite_url(suite), path, NULL);
}
