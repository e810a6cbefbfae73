-- Executions of a project without success: few rows, however many executions there are.
drop index concurrently if exists execution_failed;
create index concurrently execution_failed on execution (project_id, started_at) where outcome <> 'success';
