-- The membership m of {account} in {project}, at most one. A lateral query with a limit is always
-- planned as a lookup in the unique index. With a join, a plan from when the tables were small may
-- read all members of the project.
-- args: account, project
lateral (
    select id, profile_id, admin, policy_id, locked_at, end_at
    from membership
    where account_id = {account} and project_id = {project}
    limit 1
) m
