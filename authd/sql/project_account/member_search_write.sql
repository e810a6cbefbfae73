-- Writes accounts' search keys (`keys`, each of the account in `key_accounts`) for each of their
-- projects, and takes the accounts off the list, including deleted ones. An account stays on the
-- list if it has changed since it was read, or if another transaction has locked it or one of its
-- memberships. The accounts are locked for update, so that no membership is added meanwhile: one
-- added later puts the account on the list again.
-- class: write
-- in: accounts uuid[], names text[], surnames text[], emails text[], key_accounts uuid[], keys text[]
-- rows: none
with
due as materialized (
    select d.account_id
    from unnest(:accounts, :names, :surnames, :emails) g (id, name, surname, email)
    cross join lateral (
        select * from account where id = g.id limit 1 for update skip locked
    ) a
    cross join lateral (
        select * from member_search_due where account_id = g.id limit 1 for update skip locked
    ) d
    where a.name = g.name and a.surname = g.surname and a.email = g.email
),
held as materialized (
    select m.account_id, m.project_id
    from due d
    cross join lateral (
        select * from membership where account_id = d.account_id for key share skip locked
    ) m
),
given as materialized (
    select h.project_id, g.key collate "C" as key, h.account_id
    from held h
    join unnest(:key_accounts, :keys) g (account_id, key) on g.account_id = h.account_id
),
removed as (
    delete from member_search n
    using held h
    where n.account_id = h.account_id and n.project_id = h.project_id
        and not exists (
            select
            from given g
            where g.account_id = n.account_id and g.project_id = n.project_id and g.key = n.key
        )
),
added as (
    insert into member_search (project_id, key, account_id)
    select project_id, key, account_id from given
    on conflict do nothing
)
delete from member_search_due n
where n.account_id = any (:accounts) and (
    (
        n.account_id in (select account_id from due)
        and (select count(*) from membership m where m.account_id = n.account_id)
            = (select count(*) from held h where h.account_id = n.account_id)
    )
    -- "not exists" may read all accounts
    or (select a.id from account a where a.id = n.account_id) is null
)
