-- Writes the keys that accounts are searched by, `keys` of `key_accounts`, in place of those that are
-- there, and takes the accounts off the list, those that are gone, too. Those whose names have changed
-- since they were read, or that another transaction is at, stay on it: one that deletes or renames an
-- account holds it first.
-- class: write
-- in: accounts uuid[], names text[], surnames text[], key_accounts uuid[], keys text[]
-- rows: none
with
due as materialized (
    select d.account_id, a.project_id
    from unnest(:accounts, :names, :surnames) g (id, name, surname)
    cross join lateral (
        select * from account where id = g.id limit 1 for share skip locked
    ) a
    cross join lateral (
        select * from account_name_due where account_id = g.id limit 1 for update skip locked
    ) d
    where a.name = g.name and a.surname = g.surname
),
given as materialized (
    select d.project_id, g.key collate "C" as key, d.account_id
    from due d
    join unnest(:key_accounts, :keys) g (account_id, key) on g.account_id = d.account_id
),
removed as (
    delete from account_name n
    using due d
    where n.account_id = d.account_id
        and not exists (select from given g where g.account_id = n.account_id and g.key = n.key)
),
added as (
    insert into account_name (project_id, key, account_id)
    select project_id, key, account_id from given
    on conflict do nothing
)
delete from account_name_due n
where n.account_id = any (:accounts) and (
    n.account_id in (select account_id from due)
    -- not "not exists", for which all accounts may be read
    or (select a.id from account a where a.id = n.account_id) is null
)
