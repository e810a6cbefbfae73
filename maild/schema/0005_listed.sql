-- Operators list messages by state; most were sent, and those are not listed.
create index message_listed on message (state, created_at, id) where state <> 'sent';
-- Jobs, too.
create index job_listed on job (state, due_at, id);
