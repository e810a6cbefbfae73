-- Exports of a person's data: a job until its file is there, then the file, until it expires or the account goes. Its
-- bytes are an object; only their key is here, so without the row they are of no use.
create table export (
    project_id  uuid not null,
    id          uuid not null,
    account_id  uuid not null,              -- whose data it is
    role        text not null check (role in ('Patient', 'Practitioner')),
    profile_id  uuid not null,
    asked_by    uuid not null,              -- account that may fetch it
    created_at  bigint not null,
    state       text not null check (state in ('pending', 'ready', 'failed')),
    attempts    bigint not null,
    lease       uuid,                       -- of the instance that makes it
    due_at      bigint not null,            -- pending: of the next attempt, or the end of the lease; ready: of the mail,
                                            -- then of its end; failed: of its end
    object_id   uuid,
    key_sealed  bytea,
    size        bigint,                     -- of the file, when it is opened
    expires_at  bigint,
    mailed_at   bigint,
    primary key (project_id, id),
    check ((state = 'ready') = (expires_at is not null)),
    check (state <> 'ready' or num_nulls(object_id, key_sealed, size) = 0)
);
create unique index export_pending on export (project_id, asked_by, account_id) where state = 'pending';
create index export_asked on export (project_id, asked_by, created_at);
create index export_due on export (due_at);
create index export_account on export (account_id);
create index export_asker on export (asked_by);
