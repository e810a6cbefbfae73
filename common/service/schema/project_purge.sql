-- Projects that were deleted within the last day: requests that were under way then may still have written rows of
-- them, which are deleted too. Each daemon that keeps data of projects has this table; the files named
-- NNNN_project_purge.sql in their schema folders are links to this one. See common/service/project_purge.c.

create table project_purge (
    project_id  uuid primary key,
    began_at    bigint not null             -- real time, ms
);
create index project_purge_began on project_purge (began_at);
