-- The row with the result for an account of a tenant's file, for "join lateral ... on true": always
-- looked up by key.
-- args: project, account
(
    select n.account_id, n.membership_id, n.invited, n.admin
    from transfer_account n
    where n.project_id = {project} and n.account_id = {account}
    limit 1
)
