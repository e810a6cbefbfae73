-- Changing a password: links to set a new one, and what a change ends.

-- A link that was mailed. One for each account: a newer one takes the place of the older.
create table password_reset (
    account_id   uuid primary key references account on delete cascade,
    project_id   uuid not null,             -- the tenant that it was asked for
    id           uuid not null unique,      -- in the link, with the secret
    secret_hash  bytea not null,
    expires_at   bigint not null
);
create index password_reset_expires on password_reset (expires_at);

-- Grows with each change of the password (not when its hash is renewed): what was proven by an older one is void.
alter table credential add column changes bigint not null default 0;
alter table login add column credential_changes bigint;

alter table session drop constraint session_end_reason_check;
alter table session add constraint session_end_reason_check
    check (end_reason in ('logout', 'revoked', 'theft', 'login-replay', 'removed', 'credential'));
