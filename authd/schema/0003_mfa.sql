-- The second factor: one-time passwords by RFC 6238, and codes for who lost the device.

-- One for each account.
create table mfa_factor (
    account_id     uuid primary key references account on delete cascade,
    secret_sealed  bytea not null,
    created_at     bigint not null,
    enrolled_at    bigint,                  -- null: shown to the owner, who has not shown a code of it yet
    last_step      bigint not null default -1, -- of the newest code that was taken: it and all before it are spent
    failures       bigint[] not null default '{}' -- times of the last wrong codes, in no order
);

create table mfa_recovery (
    account_id  uuid not null references mfa_factor on delete cascade,
    code_hash   bytea not null,             -- keyed: such a code is short
    used_at     bigint,
    primary key (account_id, code_hash)
);

alter table login add column mfa_failures int not null default 0;

-- credential.changes counts the changes of the second factor too.
