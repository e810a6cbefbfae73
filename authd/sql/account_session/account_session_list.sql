-- Returns an account's newest 100 live sessions, in all projects (null: on the installation's own
-- pages).
-- class: read
-- in: account uuid, asking uuid, now int8
-- rows: many
-- row: project uuid null, client text null, session struct session_record
select
    s.project_id as project,
    s.client,
    s.id,
    s.last_updated as "lastUpdated",
    s.auth_method as "authMethod",
    s.remote_address as "remoteAddress",
    s.browser,
    s.os,
    s.id = :asking as current
from (
    select
        s.project_id,
        (
            select g.client_name
            from oauth_grant g
            where g.project_id = s.project_id and g.session_id = s.id
        ) as client,
        s.id, s.last_updated, s.auth_method, s.remote_address, s.browser, s.os
    from session s
    where s.project_id = any (array(
            select project_id from membership where account_id = :account
        ))
        and s.account_id = :account and
        -- include: session_active(session = s, now = :now)
    union all
    select null, null, id, last_updated, auth_method, remote_address, browser, os
    from account_session
    where account_id = :account and code_hash is null and idle_until > :now
        and absolute_until > :now
) s
order by s.id desc
limit 100
