-- What a grant holds of its client's registration besides scope and resource; it ends when that is taken away.
-- grant_types: words between blanks, with refresh_token when it is renewed; first_party: the person was not asked for
-- consent. Null: made by a release that did not note it.
alter table oauth_grant add column grant_types text, add column first_party boolean;
