-- The account `a` and the membership `m` of a session {session}, joined to it: no row unless all three
-- are valid.
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
