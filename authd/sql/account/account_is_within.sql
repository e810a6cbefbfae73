-- Reports if an account has memberships and all are in these projects. A patient's account is in
-- its project. Locks the account's row, so that the answer stays valid in the transaction.
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
