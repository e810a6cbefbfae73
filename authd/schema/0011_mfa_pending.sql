-- Second-factor secrets that were shown but not enrolled, for the requesting session only.

create table mfa_pending (
    session_id          uuid primary key,
    account_id          uuid not null references account on delete cascade,
    secret_sealed       bytea not null,
    expires_at          bigint not null,
    credential_changes  bigint not null,    -- credential.changes at the start: a later change voids it
    failures            bigint[] not null default '{}' -- unordered times of the last wrong codes
);
create index mfa_pending_account on mfa_pending (account_id);
create index mfa_pending_expires on mfa_pending (expires_at);

-- From now on, each row of mfa_factor is enrolled. An enrollment overwrites the previous release's
-- rows with a null enrolled_at.
