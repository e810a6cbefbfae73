-- Scheduled jobs of other daemons. The id is the sender's key, which makes repeated requests idempotent.

create table job (
    id           uuid primary key,
    kind         text not null check (kind in ('account-delete', 'account-reminder')),
    due_at       bigint not null,           -- contract time; all other times here are real time
    account_id   uuid not null,
    schedule_id  uuid not null,             -- authd does nothing when this is no longer the account's schedule
    project_id   uuid not null,             -- the project whose email a reminder is
    state        text not null default 'waiting' check (state in ('waiting', 'done')),
    attempts     int not null default 0,
    try_at       bigint not null default 0, -- not before: end of the lease, otherwise of the pause
    lease        uuid,
    last_error   text,                      -- kind of error
    created_at   bigint not null,
    done_at      bigint,
    check ((state = 'done') = (done_at is not null)),
    check (state = 'waiting' or lease is null)
);
create index job_due on job (due_at) where state = 'waiting';
create index job_account on job (account_id) where state = 'waiting';
create index job_over on job (done_at) where state = 'done';
