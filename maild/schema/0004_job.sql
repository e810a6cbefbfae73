-- What is to be done at a certain time, and for which other daemons are asked. The id is the sender's key: the same
-- one again is the same job.

create table job (
    id           uuid primary key,
    kind         text not null check (kind in ('account-delete', 'account-reminder')),
    due_at       bigint not null,           -- contract time; all other times here are real time
    account_id   uuid not null,
    schedule_id  uuid not null,             -- authd does nothing when this is no longer the account's schedule
    project_id   uuid not null,             -- whose mail a reminder is
    state        text not null default 'waiting' check (state in ('waiting', 'done')),
    attempts     int not null default 0,
    try_at       bigint not null default 0, -- not before: end of the lease while there is one, of the back-off else
    lease        uuid,
    last_error   text,                      -- the kind of the failure
    created_at   bigint not null,
    done_at      bigint,
    check ((state = 'done') = (done_at is not null)),
    check (state = 'waiting' or lease is null)
);
create index job_due on job (due_at) where state = 'waiting';
create index job_account on job (account_id) where state = 'waiting';
create index job_over on job (done_at) where state = 'done';
