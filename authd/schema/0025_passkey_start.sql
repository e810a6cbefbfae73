-- Sign-ins by passkey whose challenge was used. What they ask for is with the client, sealed. The
-- columns tenant_id, email and code_challenge of passkey_ceremony, and its kind sign-in, are of
-- instances of the version before.
create table passkey_start_spent (
    id     uuid primary key,
    until  bigint not null
);
create index passkey_start_spent_until on passkey_start_spent (until);
