-- Lists the oldest messages in a state, up to `most`. Not for 'sent', which is most of the table.
-- class: read
-- in: state text, most int8
-- rows: many
-- row: struct mail_queue_row
select
    id, project_id as "projectId", template, state, attempts, due_at as "dueAt",
    created_at as "createdAt", last_error as "lastError"
from message
where state = :state and state <> 'sent'
order by state, created_at, id
limit :most
