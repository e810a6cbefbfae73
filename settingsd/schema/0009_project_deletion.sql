-- Projects that are being deleted: since when, and what each daemon has deleted of them.

alter table project add column deleting_at bigint; -- contract time; null: it stays. Its code is taken until it is gone

create table project_deletion (
    project_id  uuid not null,              -- the row outlives the project by a month
    service     text not null,
    removed     bigint not null default 0,  -- rows
    try_at      bigint not null default 0,  -- real time; a call in progress holds the row until then
    done_at     bigint,                     -- real time: the service has nothing more of the project
    last_error  text,                       -- why the last call failed
    primary key (project_id, service)
);
create index project_deletion_due on project_deletion (try_at) where done_at is null;
create index project_deletion_over on project_deletion (done_at) where done_at is not null;
