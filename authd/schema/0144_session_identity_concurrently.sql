-- Sessions and session codes of identities, which end with them.
drop index concurrently if exists session_identity;
create index concurrently session_identity on session (identity_id)
where identity_id is not null and end_reason is null;
drop index concurrently if exists login_identity;
create index concurrently login_identity on login (identity_id) where identity_id is not null;
