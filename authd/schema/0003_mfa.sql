-- The second factor: one-time passwords (RFC 6238), and recovery codes for lost devices.

-- One for each account.
create table mfa_factor (
    account_id     uuid primary key references account on delete cascade,
    secret_sealed  bytea not null,
    created_at     bigint not null,
    enrolled_at    bigint,                  -- null: not confirmed with a code yet
    last_step      bigint not null default -1, -- of the newest accepted code: earlier steps are spent
    failures       bigint[] not null default '{}' -- unordered times of the last wrong codes
);

create table mfa_recovery (
    account_id  uuid not null references mfa_factor on delete cascade,
    code_hash   bytea not null,             -- keyed, because the codes are short
    used_at     bigint,
    primary key (account_id, code_hash)
);

alter table login add column mfa_failures int not null default 0;

-- credential.changes also counts changes of the second factor.
