-- Returns how a session's person signed in, and whether the account has a second factor. No row:
-- the session has ended.
-- class: read
-- in: project uuid, session uuid, now int8
-- rows: one
-- row: auth_method text, signed_in_at int8, created_at int8, factor bool
select
    s.auth_method,
    coalesce(s.proven_at, s.created_at) as signed_in_at,
    s.created_at,
    -- include: account_has_factor(account = s.account_id)
    as factor
from session s
where s.project_id = :project and s.id = :session and
    -- include: session_valid(session = s, now = :now)
