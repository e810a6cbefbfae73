-- Email and jobs of a project, deleted with it.
drop index concurrently if exists message_project;
create index concurrently message_project on message (project_id, id);
drop index concurrently if exists job_project;
create index concurrently job_project on job (project_id, id);
