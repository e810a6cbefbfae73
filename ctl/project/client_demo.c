/* client_demo.c - see client_demo.h. */
#include "ctl/project/client_demo.h"

#include <stdio.h>
#include <string.h>

#include "common/base/secret.h"
#include "ctl/output.h"
#include "settingsd/client_api.h"

enum { COOKIE_BYTES = 16 };

void client_demo_settings(json_t *client)
{
    json_auto_t *members =
        json_pack("{s:s, s:s, s:[s,s,s], s:[s], s:[s,s], s:[s,s,s,s]}", "type", "confidential",
                  "authMethod", "client_secret_basic", "redirectUris",
                  "http://localhost:8990/callback", "http://localhost:8990/protected/callback",
                  "http://localhost:4180/oauth2/callback", "postLogoutRedirectUris",
                  "http://localhost:8990/", "grantTypes", "authorization_code", "refresh_token",
                  "scopes", "openid", "profile", "email", "offline_access");

    json_object_update(client, members);
}

/* openid-client 6 rejects http by default. */
static const char *program(struct arena *arena, const char *issuer, const char *id,
                           const char *secret)
{
    bool plain = strncmp(issuer, "http:", 5) == 0;

    return arena_printf(
        arena,
        "// npm install openid-client@6; node demo.mjs; then open http://localhost:8990/\n"
        "import { createServer } from \"node:http\";\n"
        "import * as client from \"openid-client\";\n"
        "\n"
        "const home = \"http://localhost:8990/\", redirect_uri = home + \"callback\";\n"
        "const config = await client.discovery(new URL(\"%s\"), \"%s\", undefined,\n"
        "    client.ClientSecretBasic(\"%s\")%s);\n"
        "const started = new Map();\n"
        "\n"
        "async function start() {\n"
        "    const verifier = client.randomPKCECodeVerifier(), state = client.randomState();\n"
        "    started.set(state, verifier);\n"
        "    return client.buildAuthorizationUrl(config, { redirect_uri, state,\n"
        "        scope: \"openid profile email\", code_challenge_method: \"S256\",\n"
        "        code_challenge: await client.calculatePKCECodeChallenge(verifier) }).href;\n"
        "}\n"
        "\n"
        "async function finish(url) {\n"
        "    const state = url.searchParams.get(\"state\"), verifier = started.get(state);\n"
        "    started.delete(state);\n"
        "    const tokens = await client.authorizationCodeGrant(config, url,\n"
        "        { pkceCodeVerifier: verifier, expectedState: state });\n"
        "    const claims = tokens.claims();\n"
        "    return { claims, userinfo: await client.fetchUserInfo(config, tokens.access_token,\n"
        "        claims.sub) };\n"
        "}\n"
        "\n"
        "createServer(async (request, response) => {\n"
        "    const url = new URL(request.url, home);\n"
        "    try {\n"
        "        if (url.pathname === \"/callback\")\n"
        "            response.end(JSON.stringify(await finish(url), null, 2));\n"
        "        else\n"
        "            response.writeHead(302, { location: await start() }).end();\n"
        "    } catch (error) {\n"
        "        response.writeHead(400).end(String(error));\n"
        "    }\n"
        "}).listen(8990, \"localhost\");\n",
        issuer, id, secret, plain ? ",\n    { execute: [client.allowInsecureRequests] }" : "");
}

static const char *apache(struct arena *arena, const char *issuer, const char *id,
                          const char *secret)
{
    return arena_printf(arena,
                        "# Apache with libapache2-mod-auth-openidc\n"
                        "OIDCProviderMetadataURL %s/.well-known/openid-configuration\n"
                        "OIDCClientID %s\n"
                        "OIDCClientSecret %s\n"
                        "OIDCRedirectURI http://localhost:8990/protected/callback\n"
                        "OIDCCryptoPassphrase %s\n"
                        "OIDCScope \"openid profile email\"\n"
                        "OIDCPKCEMethod S256\n"
                        "<Location /protected>\n"
                        "    AuthType openid-connect\n"
                        "    Require valid-user\n"
                        "</Location>\n",
                        issuer, id, secret, secret_random_text(arena, COOKIE_BYTES));
}

static const char *proxy(struct arena *arena, const char *issuer, const char *id,
                         const char *secret)
{
    return arena_printf(arena,
                        "# oauth2-proxy.cfg; nginx asks it: auth_request /oauth2/auth;\n"
                        "#     location /oauth2/ { proxy_pass http://127.0.0.1:4180; }\n"
                        "provider = \"oidc\"\n"
                        "oidc_issuer_url = \"%s\"\n"
                        "client_id = \"%s\"\n"
                        "client_secret = \"%s\"\n"
                        "redirect_url = \"http://localhost:4180/oauth2/callback\"\n"
                        "scope = \"openid profile email\"\n"
                        "code_challenge_method = \"S256\"\n"
                        "cookie_secret = \"%s\"\n"
                        "cookie_secure = false\n"
                        "email_domains = [ \"*\" ]\n"
                        "upstreams = [ \"static://202\" ]\n"
                        "http_address = \"127.0.0.1:4180\"\n",
                        issuer, id, secret, secret_random_text(arena, COOKIE_BYTES));
}

void client_demo_print(struct ctl *ctl, const struct client_demo *demo)
{
    const char *issuer = arena_printf(ctl->arena, "%s/t/%s", demo->public_url, demo->tenant_code);
    const char *id = demo->client->id.text, *secret = demo->client->secret;
    const char *texts[] = {program(ctl->arena, issuer, id, secret),
                           apache(ctl->arena, issuer, id, secret),
                           proxy(ctl->arena, issuer, id, secret)};
    json_auto_t *json = NULL;

    if (!ctl->json) {
        printf("%s\n%s\n%s", texts[0], texts[1], texts[2]);
        return;
    }
    json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", id, "secret", secret, "issuer", issuer,
                     "openidClient", texts[0], "apache", texts[1], "oauth2Proxy", texts[2]);
    output_object(ctl, json);
}
