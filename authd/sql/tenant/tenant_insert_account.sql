-- Adds and records accounts with their memberships, from another installation. Adds no account
-- whose id exists here with other values or whose address another account has, and does not count
-- it as the same; an account whose owner was invited instead counts as the same.
-- class: tx
-- in: project uuid, rows text, expires_at int8
-- rows: one
-- row: added int8, same int8, rows int8
with
-- include: transfer_given as given(rows = :rows, project = :project),
accounts_added as (
    insert into account
    select (g.account).*
    from given g
    left join lateral
        -- include: transfer_noted(project = :project, account = (g.account).id)
        t on true
    where t.invited is not true and not (
            -- include: transfer_reserved(account = g.account)
        )
        and (
            select m.id from membership m where m.project_id = :project and m.id = (g.membership).id
        ) is null -- "not exists" may become a join that reads the whole project
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
    returning account_id, id, admin
),
noted as (
    insert into transfer_account (
        project_id, account_id, membership_id, invited, admin, expires_at
    )
    select :project, account_id, id, false, admin, :expires_at from added
    on conflict do nothing
),
same as (
    select 1
    from given g
    join lateral
        -- include: transfer_noted(project = :project, account = (g.account).id)
        t on t.membership_id = (g.membership).id
    where t.invited or row_to_json(g.account)::text = (
        select row_to_json(a)::text from account a where a.id = (g.account).id
    ) and row_to_json(g.membership)::text = (
        select row_to_json(m)::text
        from membership m
        where m.project_id = :project and m.id = (g.membership).id
    )
),
found as (
    select from added limit 1
),
-- include: audit(from = found)
select
    (select count(*) from added) as added,
    (select count(*) from same) as same,
    (select count(*) from json_array_elements(:rows::json)) as rows
