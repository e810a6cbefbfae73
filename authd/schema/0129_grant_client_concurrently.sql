-- A client's grants. Without the project, so that other statements don't use it as the key.
drop index concurrently if exists oauth_grant_client;
create index concurrently oauth_grant_client on oauth_grant (client_id, session_id);
