-- What a request named in `id_token` of its parameter `claims` (OpenID Connect Core 1.0, section 5.5): each ID token of
-- the grant has it. id_claims: claims of the person, words between blanks; id_acr: the acr that was demanded, which the
-- sign-in satisfies; null: none.
alter table oauth_code add column id_claims text, add column id_acr text;
alter table oauth_grant add column id_claims text, add column id_acr text;
