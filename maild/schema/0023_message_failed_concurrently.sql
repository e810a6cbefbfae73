-- Failed emails of a project, for its admins: few rows, however long the queue is.
drop index concurrently if exists message_failed;
create index concurrently message_failed on message (project_id, created_at, id)
    where state in ('queued', 'dead') and last_error is not null;
