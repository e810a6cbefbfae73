-- What did not succeed in a project: few rows, whatever was executed.
drop index concurrently if exists execution_failed;
create index concurrently execution_failed on execution (project_id, started_at) where outcome <> 'success';
