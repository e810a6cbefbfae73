-- The projects of practitioners who are members of more than one, or of those of them who are
-- members of `project`: each set of projects with how many people have it and one of them, the 100
-- with the most people.
-- class: read
-- in: project uuid null
-- rows: many
-- row: projects text, people int8, account uuid
with
sets as (
    select
        m.account_id,
        string_agg(m.project_id::text, ' ' order by m.project_id) as projects
    from membership m
    join account a on a.id = m.account_id
    where a.role = 'Practitioner'
    group by m.account_id
    having count(*) > 1 and bool_or(:project is null or m.project_id = :project)
)
select projects, count(*) as people, min(account_id::text)::uuid as account
from sets
group by projects
order by count(*) desc, projects
limit 100
