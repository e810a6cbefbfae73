/* dev_show.c - what atrium-dev prints when ready. */
#include <stdio.h>

#include "dev/dev.h"

/* RFC 7636, appendix B: CHALLENGE is base64url(SHA-256(VERIFIER)). */
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

/* Prints three lines for one shell, in order; they need only curl and sed. */
static void show_curl_lines(const char *url)
{
    printf(
        "EMAIL=\"ana.$(date +%%s)@patients.example\"; curl -sS '%s/auth/tenant/Patient/register' "
        "-H 'Content-Type: application/json' -d '{\"email\":\"'\"$EMAIL\"'\","
        "\"password\":\"a long demo password\",\"name\":\"Ana\",\"surname\":\"Example\","
        "\"tenantCode\":\"" DEMO_TENANT "\"}'; echo\n",
        url);
    printf("CODE=\"$(curl -sS '%s/auth/tenant/Patient/login/start' "
           "-H 'Content-Type: application/json' -d '{\"email\":\"'\"$EMAIL\"'\","
           "\"password\":\"a long demo password\",\"tenantCode\":\"" DEMO_TENANT "\","
           "\"codeChallenge\":\"" CHALLENGE "\"}' | "
           "sed -n 's/.*\"sessionCode\": *\"\\([^\"]*\\)\".*/\\1/p')\"; "
           "TOKEN=\"$(curl -sS '%s/auth/tenant/Patient/login/token' "
           "-H 'Content-Type: application/json' -d '{\"sessionCode\":\"'\"$CODE\"'\","
           "\"codeVerifier\":\"" VERIFIER "\"}' | "
           "sed -n 's/.*\"accessToken\": *\"\\([^\"]*\\)\".*/\\1/p')\"; echo \"$TOKEN\"\n",
           url, url);
    printf("curl -sS '%s/auth/me' -H \"Authorization: Bearer $TOKEN\"; echo\n", url);
}

static void show_admin(const struct dev *self)
{
    if (self->demo.admin_password) {
        printf("admin     %s   password %s\n", DEMO_ADMIN, self->demo.admin_password);
        return;
    }
    printf("admin     %s   password not known: %s/demo.json, which had it, was lost\n"
           "          mail a link to set a new one: %s/t/" DEMO_TENANT "/reset-password\n"
           "          or make another admin: atriumctl --dir %s user create-admin "
           "--project " DEMO_TENANT " --email E --name N --surname S\n",
           DEMO_ADMIN, self->dir.path, self->public_url, self->dir.path);
}

void dev_show(const struct dev *self)
{
    printf("atrium: ready %s\n\n", self->base_url);
    if (self->demo_wanted)
        printf("page      %s/t/" DEMO_TENANT "/sign-in\n", self->public_url);
    printf("console   %s/console/%s\n", self->public_url,
           self->demo_wanted ? "?tenant=" DEMO_TENANT : "");
    printf("URL       %s   (API description: %s/openapi.json)\n", self->base_url, self->base_url);
    printf("metrics   %s/metrics\n", self->json.admin_url);
    if (!self->smtp)
        printf("mail      %s/dev/mail   (files: %s)\n", self->public_url, self->json.mail_dir);
    printf("logs      %s/log\n", self->dir.path);
    if (self->demo_wanted) {
        printf("tenant    %s\n", DEMO_TENANT);
        printf("OpenID    issuer %s/t/" DEMO_TENANT "   client %s   redirect URI " DEMO_REDIRECT
               " (any port)\n",
               self->public_url, self->demo.client);
        show_admin(self);
        puts("\nRegister a patient, sign in, and see who that is; paste these into one shell:\n");
        show_curl_lines(self->base_url);
    } else {
        printf("\nThere is no project yet: atriumctl --dir %s project create NAME\n",
               self->dir.path);
    }
    puts("\nCtrl-C stops everything.");
    fflush(stdout);
}
