// snippets.js - code with which an application signs people in, for the libraries that admins' developers use most.
const CODE = 'authorization_code', SERVICE = 'client_credentials';
const SCOPES = ['openid', 'profile', 'email'];

const signsIn = ({ grantTypes = [] }) => grantTypes.includes(CODE);
const isService = ({ grantTypes = [] }) => grantTypes.includes(SERVICE) && !grantTypes.includes(CODE);
const hasSecret = ({ authMethod = '' }) => authMethod.startsWith('client_secret');
const server = (client) => signsIn(client) && hasSecret(client);
const publicApp = (client) => signsIn(client) && client.type === 'public';
// Code with a margin, because the build removes indentation (build.sh).
const text = (parts, ...values) => String.raw({ raw: parts }, ...values).replace(/^\|/gm, '');
const scope = (scopes) => (scopes.length ? scopes : SCOPES).join(' ');

/** [{ name, language, fits(client), code({ issuer, id, redirect, scopes, audience }) }] */
export const libraries = [
    { name: 'Auth.js', language: 'JavaScript', fits: server, code: ({ issuer, id, scopes }) => text`|// auth.ts; redirect URI: https://YOUR-APP/api/auth/callback/atrium
|import NextAuth from "next-auth";
|
|export const { handlers, auth, signIn, signOut } = NextAuth({
|  providers: [{
|    id: "atrium",
|    name: "Atrium",
|    type: "oidc",
|    issuer: "${issuer}",
|    clientId: "${id}",
|    clientSecret: process.env.ATRIUM_CLIENT_SECRET,
|    checks: ["pkce", "state", "nonce"],
|    authorization: { params: { scope: "${scope(scopes)}" } },
|  }],
|});` },
    { name: 'Spring Security', language: 'Java', fits: server, code: ({ issuer, id, scopes }) => text`|# application.yml; redirect URI: https://YOUR-APP/login/oauth2/code/atrium
|spring:
|  security:
|    oauth2:
|      client:
|        registration:
|          atrium:
|            client-id: ${id}
|            client-secret: \${ATRIUM_CLIENT_SECRET}
|            scope: ${scope(scopes).split(' ').join(', ')}
|        provider:
|          atrium:
|            issuer-uri: ${issuer}
|
|// SecurityConfig.java: Atrium requires PKCE
|@Bean
|SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
|    var resolver = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
|
|    resolver.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
|    return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
|        .oauth2Login(login -> login.authorizationEndpoint(at -> at.authorizationRequestResolver(resolver)))
|        .build();
|}` },
    { name: 'Authlib', language: 'Python', fits: server, code: ({ issuer, id, scopes }) => text`|import os
|
|from authlib.integrations.flask_client import OAuth
|
|oauth = OAuth(app)
|oauth.register(
|    "atrium",
|    server_metadata_url="${issuer}/.well-known/openid-configuration",
|    client_id="${id}",
|    client_secret=os.environ["ATRIUM_CLIENT_SECRET"],
|    client_kwargs={"scope": "${scope(scopes)}", "code_challenge_method": "S256"},
|)` },
    { name: 'oidc-client-ts', language: 'TypeScript', fits: publicApp, code: ({ issuer, id, redirect, scopes }) => text`|import { UserManager } from "oidc-client-ts";
|
|const users = new UserManager({
|  authority: "${issuer}",
|  client_id: "${id}",
|  redirect_uri: "${redirect}",
|  scope: "${scope(scopes)}",
|});
|
|await users.signinRedirect(); // when the person signs in
|const user = await users.signinCallback(); // at the redirect URI` },
    { name: 'AppAuth', language: 'Kotlin', fits: publicApp, code: ({ issuer, id, redirect, scopes }) => text`|val issuer = Uri.parse("${issuer}")
|val redirect = Uri.parse("${redirect}")
|
|AuthorizationServiceConfiguration.fetchFromIssuer(issuer) { service, failure ->
|    if (service == null) throw failure!!
|    val request = AuthorizationRequest.Builder(service, "${id}", ResponseTypeValues.CODE, redirect)
|        .setScope("${scope(scopes)}")
|        .build() // with PKCE
|
|    startActivityForResult(AuthorizationService(this).getAuthorizationRequestIntent(request), SIGN_IN)
|}` },
    { name: 'Authlib', language: 'Python', fits: (client) => isService(client) && hasSecret(client), code: ({ issuer, id, scopes, audience }) => text`|import os
|
|from authlib.integrations.requests_client import OAuth2Session
|
|session = OAuth2Session(
|    "${id}",
|    os.environ["ATRIUM_CLIENT_SECRET"],
|    scope="${scopes.join(' ')}",
|)
|session.fetch_token(
|    "${issuer}/token",
|    grant_type="client_credentials",
|    resource="${audience}",
|)` },
];
