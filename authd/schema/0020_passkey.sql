-- Passkeys (Web Authentication Level 3): public keys that open an account.

create table passkey (
    id             uuid primary key,        -- shown to its owner
    account_id     uuid not null references account on delete cascade,
    rp_id          text not null check (length(rp_id) <= 253),
    project_id     uuid,                    -- project whose application has the RP ID; null: the installation
    credential_id  bytea not null check (octet_length(credential_id) between 1 and 1023),
    user_handle    bytea not null,          -- random: the authenticator's name for the account
    algorithm      int not null,            -- COSE
    public_key     bytea not null,          -- libfido2's format
    sign_count     bigint not null,
    backed_up      boolean not null,
    name           text not null,
    created_at     bigint not null,
    last_used_at   bigint,
    unique (rp_id, credential_id)
);
create index passkey_account on passkey (account_id);

-- A challenge, valid once and for five minutes.
create table passkey_ceremony (
    id              uuid primary key,       -- factor: the waiting login's
    kind            text not null check (kind in ('enroll', 'sign-in', 'step-up', 'factor')),
    challenge       bytea not null,
    role            text not null check (role in ('Patient', 'Practitioner')),
    rp_id           text not null,
    project_id      uuid,                   -- as in passkey
    tenant_id       uuid,                   -- sign-in: the named tenant
    email           text,                   -- sign-in: the named address
    code_challenge  text,                   -- sign-in: S256, base64url
    account_id      uuid references account on delete cascade, -- otherwise: the caller
    session_id      uuid,
    user_handle     bytea,                  -- enroll
    expires_at      bigint not null
);
create index passkey_ceremony_account on passkey_ceremony (account_id) where account_id is not null;
create index passkey_ceremony_expires on passkey_ceremony (expires_at);
