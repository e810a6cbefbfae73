-- The row that says what became of an account of a tenant's file, for "join lateral ... on true":
-- by the key, and never all rows of the project.
-- args: project, account
(
    select n.account_id, n.membership_id, n.invited, n.admin
    from transfer_account n
    where n.project_id = {project} and n.account_id = {account}
    limit 1
)
