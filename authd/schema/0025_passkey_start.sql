-- Used challenges of sign-ins by passkey; the client has the rest, sealed. passkey_ceremony's
-- columns tenant_id, email and code_challenge, and its kind sign-in, are for the previous release's
-- instances.
create table passkey_start_spent (
    id     uuid primary key,
    until  bigint not null
);
create index passkey_start_spent_until on passkey_start_spent (until);
