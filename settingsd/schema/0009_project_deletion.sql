-- Projects being deleted: start, and each daemon's progress.

alter table project add column deleting_at bigint; -- contract time or null; the code is taken until the end

create table project_deletion (
    project_id  uuid not null,              -- the row outlives the project by a month
    service     text not null,
    removed     bigint not null default 0,  -- rows
    try_at      bigint not null default 0,  -- real time; also the lease of a running call
    done_at     bigint,                     -- real time when the service had nothing left of the project
    last_error  text,                       -- of the last call
    primary key (project_id, service)
);
create index project_deletion_due on project_deletion (try_at) where done_at is null;
create index project_deletion_over on project_deletion (done_at) where done_at is not null;
