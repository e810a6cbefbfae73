-- The account `a` and membership `m` of {session}, joined to it. No row: one of the three is not
-- valid.
-- args: session, project, now
cross join
    -- include: account_of(row = {session})
join
    -- include: membership_of(account = {session}.account_id, project = {project})
    on m.locked_at is null and a.locked_at is null
    and
    -- include: account_active(account = a, now = {now})
    and
    -- include: session_valid(session = {session}, now = {now})
