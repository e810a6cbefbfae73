-- Returns an account's memberships, at most 100, with their numbers of active sessions.
-- class: read
-- in: account uuid, now int8
-- rows: many
-- row: struct user_place
select
    m.project_id as "projectId",
    m.id as membership,
    m.profile_id as profile,
    m.admin,
    (
        select count(*)
        from session s
        where s.project_id = m.project_id and s.account_id = m.account_id and
            -- include: session_active(session = s, now = :now)
    ) as sessions
from membership m
where m.account_id = :account
order by m.created_at, m.id
limit 100
