-- Members that an admin has locked: they cannot sign in to that project until they are unlocked.
-- And accounts' last sign-ins to projects, because sessions are deleted earlier.

alter table membership add column locked_at bigint;    -- null: not locked

create table last_sign_in (
    account_id  uuid not null references account on delete cascade,
    project_id  uuid not null,
    at          bigint not null,
    primary key (account_id, project_id)
) with (fillfactor = 70);
