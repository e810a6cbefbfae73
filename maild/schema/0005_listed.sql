-- Operators list messages by state, but not sent ones, which are most.
create index message_listed on message (state, created_at, id) where state <> 'sent';
-- The same for jobs.
create index job_listed on job (state, due_at, id);
