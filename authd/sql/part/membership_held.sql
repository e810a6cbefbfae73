-- The membership m of {account} in {project}, at most one, locked. Shows a lock or removal for
-- which this statement waited, because both first lock the row for update. Locked before the
-- account, as in a deletion, and for key share, so that parallel sign-ins can cancel a scheduled
-- end.
-- args: account, project
lateral (
    select id, profile_id, locked_at, end_at
    from membership
    where account_id = {account} and project_id = {project}
    limit 1
    for key share
) m
