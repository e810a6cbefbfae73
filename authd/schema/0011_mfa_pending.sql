-- Secrets of second factors that were shown but not enrolled yet: each to the session that asked for it.

create table mfa_pending (
    session_id          uuid primary key,
    account_id          uuid not null references account on delete cascade,
    secret_sealed       bytea not null,
    expires_at          bigint not null,
    credential_changes  bigint not null,    -- credential.changes when it was made: a later change voids it
    failures            bigint[] not null default '{}' -- times of the last wrong codes, in no order
);
create index mfa_pending_account on mfa_pending (account_id);
create index mfa_pending_expires on mfa_pending (expires_at);

-- From here on each row of mfa_factor is one that is enrolled; rows of the build before, whose enrolled_at is null,
-- are overwritten by an enrolment.
