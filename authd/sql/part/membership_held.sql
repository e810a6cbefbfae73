-- The membership m of {account} in {project}, at most one, as it is once it is held: a lock or a
-- removal that was written while this statement waited shows, because both take the row for update
-- first. Held before the account, as a deletion does. For key share, so that sign-ins at once can take back a scheduled end.
-- args: account, project
lateral (
    select id, profile_id, locked_at, end_at
    from membership
    where account_id = {account} and project_id = {project}
    limit 1
    for key share
) m
