-- True if {account} has {most} live sessions before the statement. Reads each project's with
-- session_account, which contains no ended ones.
-- args: account, now, most
exists (
    select
    from membership m
    cross join lateral (
        select
        from session s
        where s.project_id = m.project_id and s.account_id = m.account_id and
            -- include: session_active(session = s, now = {now})
        limit {most}
    ) s
    where m.account_id = {account}
    offset {most} - 1
)
