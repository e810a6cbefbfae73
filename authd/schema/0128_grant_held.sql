-- What else a grant took from its client's registration; the grant ends if the registration loses
-- it. grant_types: space-separated, with refresh_token if it can be refreshed; first_party: no
-- consent was requested. Null: earlier releases.
alter table oauth_grant add column grant_types text, add column first_party boolean;
