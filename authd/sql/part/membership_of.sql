-- The membership m of {account} in {project}, at most one. As a lateral query with a limit it is
-- planned for itself and looked up by its unique index, however few rows the tables had when the
-- plan was made: joined plainly, the planner may read all members of the project for each request.
-- args: account, project
lateral (
    select id, profile_id, admin, policy_id, locked_at, end_at
    from membership
    where account_id = {account} and project_id = {project}
    limit 1
) m
