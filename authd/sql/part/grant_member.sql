-- The person whom the session {parent} lets a client in for: `parent` is the session, which is
-- locked meanwhile, so that its end finds the grant; `member` is the membership. Neither row is
-- there when the session has ended; no `member` when the account was locked or deleted, either.
-- args: project, parent, now
parent as (
    select s.account_id, s.role, s.auth_method, s.second_factor, s.absolute_until
    from session s
    where s.project_id = {project} and s.id = {parent} and
        -- include: session_valid(session = s, now = {now})
    for share
),
held as (
    select a.id
    from account a
    where a.id = (select account_id from parent) and a.locked_at is null and
        -- include: account_active(account = a, now = {now})
    for key share
),
member as (
    select m.id, m.profile_id, m.admin
    from held h
    cross join
        -- include: membership_of(account = h.id, project = {project})
    where m.locked_at is null
)
