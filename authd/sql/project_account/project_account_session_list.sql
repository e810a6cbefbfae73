-- Returns a page of an account's live sessions in a project, newest first, after the session
-- `before` (null: from the newest). `asking`: the caller's session.
-- class: read
-- in: project uuid, account uuid, asking uuid, before uuid null, now int8, most int8
-- rows: many
-- row: struct session_record
select
    -- include: session_columns,
    -- include: session_client,
    s.id = :asking as current
from session s
where s.project_id = :project and s.account_id = :account
    and s.id < coalesce(:before, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and
    -- include: session_active(session = s, now = :now)
order by s.id desc
limit :most
