-- The person of the session {parent}: `parent` is the session, locked so that its end finds the
-- grant; `member` is the membership. Neither has a row if the session has ended; `member` also has
-- none if the account was locked or deleted.
-- args: project, parent, now
parent as (
    select s.account_id, s.role, s.auth_method, s.second_factor, s.absolute_until,
        s.identity_id, s.provider_sid
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
