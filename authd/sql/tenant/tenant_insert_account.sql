-- Adds accounts of a project with their memberships, from another installation. An account that is
-- there otherwise, or whose address another has, is neither added nor the same.
-- class: tx
-- in: project uuid, rows text
-- rows: one
-- row: added int8, same int8
with
given as materialized (
    select r.account, r.membership
    from json_array_elements(:rows::json) e (value),
        json_populate_record(null::account, e.value -> 'account') a,
        json_populate_record(null::membership, e.value -> 'membership') m,
        lateral (select a as account, m as membership) r
    where m.project_id = :project and m.account_id = a.id
        and (a.role = 'Practitioner' or a.project_id = :project)
        and row_to_json(r)::text = e.value::text
),
accounts_added as (
    insert into account
    select (g.account).*
    from given g
    order by (g.account).role, (g.account).email
    on conflict do nothing
    returning id
),
added as (
    insert into membership
    select (g.membership).*
    from given g
    join accounts_added a on a.id = (g.account).id
    on conflict do nothing
    returning 1
),
same as (
    select 1
    from given g
    join account a on a.id = (g.account).id
    join membership m on m.project_id = :project and m.id = (g.membership).id
    where row_to_json(a)::text = row_to_json(g.account)::text
        and row_to_json(m)::text = row_to_json(g.membership)::text
),
found as (
    select from added limit 1
),
-- include: audit(from = found)
select
    (select count(*) from added) as added,
    (select count(*) from same) as same
