-- Returns the sets of projects that practitioners share, for practitioners with more than one
-- project, or those of them in `project`: each set with its number of people and one of them, the
-- 100 largest.
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
