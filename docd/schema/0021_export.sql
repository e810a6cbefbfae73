-- Exports of a person's data: a job until the file exists, then the file, until it expires or the account is deleted.
-- The bytes are an object. Its key is only in this row, so without the row they are useless.
create table export (
    project_id  uuid not null,
    id          uuid not null,
    account_id  uuid not null,              -- owner of the data
    role        text not null check (role in ('Patient', 'Practitioner')),
    profile_id  uuid not null,
    asked_by    uuid not null,              -- account that can fetch it
    created_at  bigint not null,
    state       text not null check (state in ('pending', 'ready', 'failed')),
    attempts    bigint not null,
    lease       uuid,                       -- instance that makes it
    due_at      bigint not null,            -- pending: next attempt, or end of the lease; ready: when to email,
                                            -- then expiry; failed: expiry
    object_id   uuid,
    key_sealed  bytea,
    size        bigint,                     -- file size when decrypted
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
