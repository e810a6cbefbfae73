-- The grants of a client. Without the project, so that no other statement takes it for the key.
drop index concurrently if exists oauth_grant_client;
create index concurrently oauth_grant_client on oauth_grant (client_id, session_id);
