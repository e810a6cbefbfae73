-- Returns accounts of a tenant's file that were neither added nor invited, at most `most`, and why:
-- an account with the id is no member of the project ("id"), or another account has the address
-- ("address") or can undo a change from it ("reserved"). `total`: the number for that reason.
-- class: tx
-- in: project uuid, rows text, most int8
-- rows: many
-- row: account uuid, why text, total int8
with
given as materialized (
    select a.*
    from json_array_elements(:rows::json) e (value),
        json_populate_record(null::account, e.value -> 'account') a
    left join lateral
        -- include: transfer_noted(project = :project, account = a.id)
        t on true
    where t.account_id is null
)
select g.id as account, c.why, count(*) over (partition by c.why) as total
from given g
cross join lateral (
    select 'id' as why
    from account a
    where a.id = g.id and (
        select m.id
        from membership m
        where m.account_id = a.id and m.project_id = :project
        limit 1
    ) is null -- "not exists" may become a join that reads the whole project
    union all
    select 'address'
    from account a
    where g.role = 'Practitioner' and a.role = 'Practitioner' and a.email = g.email
        and a.id <> g.id
    union all
    select 'address'
    from account a
    where g.role = 'Patient' and a.role = 'Patient' and a.project_id = :project
        and a.email = g.email and a.id <> g.id
    union all
    select 'reserved'
    from email_undo u
    where u.email = g.email and u.role = g.role and u.home_id is not distinct from g.project_id
        and u.account_id <> g.id
) c
order by c.why, g.id
limit :most
