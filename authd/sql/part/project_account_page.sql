-- The end of a list of accounts of {project}. `walked` are the rows that were read, by `key` and
-- `id`, in the order {next}; {last} is the opposite. Returns the first {most} of those that are
-- active at {now} and match {also} and the filters of the call project_account_read (null: any).
-- Without a match, returns one row without an account. Its first columns give the number of rows
-- read, and where the next page begins.
-- args: project, organization, role, state, factor, admin, policy, also, most, now
-- args: next = asc, last = desc
select
    (select count(*) from walked) as walked,
    (select key from walked order by key {last}, id {last} limit 1) as last_key,
    (select id from walked order by key {last}, id {last} limit 1) as last,
    h.*
from (select 1) one
left join (
    select
        w.key as at_key,
        w.id as at,
        -- include: project_account_columns(project = {project}, organization = {organization})
    from walked w
    cross join
        -- include: account_of(row = w)
    cross join lateral (
        select *
        from membership
        where account_id = w.account_id and project_id = {project}
        limit 1
    ) m
    where
        -- include: account_active(account = a, now = {now})
        and ({role}::text is null or a.role = {role})
        and ({state}::text is null or {state} =
            -- include: project_account_state
        )
        and ({admin}::boolean is null or m.admin = {admin})
        and ({policy}::uuid is null or m.policy_id = {policy})
        and ({factor}::boolean is null or {factor} =
            -- include: project_account_factor(project = {project})
        )
        and {also}
    order by w.key {next}, w.id {next}
    limit {most}
) h on true
