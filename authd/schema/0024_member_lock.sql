-- Members that an admin has locked: they cannot sign in to that project, until they are unlocked. And
-- when accounts have last signed in to projects, which sessions do not tell once they were swept.

alter table membership add column locked_at bigint;    -- null: it is not

create table last_sign_in (
    account_id  uuid not null references account on delete cascade,
    project_id  uuid not null,
    at          bigint not null,
    primary key (account_id, project_id)
) with (fillfactor = 70);
