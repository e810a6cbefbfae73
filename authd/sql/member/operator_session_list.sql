-- Lists live sessions of all accounts with an email address. `project` null: in all projects.
-- class: read
-- in: email text, project uuid null, now int8
-- rows: many
-- row: struct session_record
select
    -- include: session_columns,
    -- include: session_client
from account a
join membership m on m.account_id = a.id
cross join lateral (
    select *
    from session s
    where s.project_id = m.project_id and s.account_id = a.id and
        -- include: session_active(session = s, now = :now)
    order by s.id desc
    limit 1000
) s
where a.email = :email and (:project is null or m.project_id = :project)
order by s.id desc
limit 1000
