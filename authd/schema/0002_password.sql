-- Password changes: links to set a new one, and the end of earlier proofs.

-- An emailed link. Each account has one; a newer one replaces it.
create table password_reset (
    account_id   uuid primary key references account on delete cascade,
    project_id   uuid not null,             -- tenant where it was requested
    id           uuid not null unique,      -- in the link, with the secret
    secret_hash  bytea not null,
    expires_at   bigint not null
);
create index password_reset_expires on password_reset (expires_at);

-- Incremented by each change of the password (not by a rehash), so that older proofs become void.
alter table credential add column changes bigint not null default 0;
alter table login add column credential_changes bigint;

alter table session drop constraint session_end_reason_check;
alter table session add constraint session_end_reason_check
    check (end_reason in ('logout', 'revoked', 'theft', 'login-replay', 'removed', 'credential'));
