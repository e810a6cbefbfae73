-- Requests for each ID token of the grant, in `id_token` of the parameter `claims` (OpenID Connect
-- Core 1.0, section 5.5). id_claims: claims about the person, space-separated; id_acr: the required
-- acr, which the sign-in satisfies; null: none.
alter table oauth_code add column id_claims text, add column id_acr text;
alter table oauth_grant add column id_claims text, add column id_acr text;
