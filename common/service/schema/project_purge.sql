-- Projects deleted within the last day. Requests that were running then may have written further rows, which are
-- deleted too. NNNN_project_purge.sql in each schema folder with projects' data links to this file. See
-- common/service/project_purge.c.

create table project_purge (
    project_id  uuid primary key,
    began_at    bigint not null             -- real time, ms
);
create index project_purge_began on project_purge (began_at);
