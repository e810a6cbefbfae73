-- Do all memberships of an account, at least one, lie in these projects? A patient's account lies
-- in its project. The account's row is locked, so that the answer holds until the end of the
-- transaction.
-- class: tx
-- in: account uuid, projects uuid[]
-- rows: one
-- row: within bool
select
    not exists (
        select from membership where account_id = :account and project_id <> all (:projects)
    )
    and exists (
        select from membership where account_id = :account
    ) as within
