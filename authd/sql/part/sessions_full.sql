-- Whether {account} has {most} live sessions before the statement. Those of each project are read
-- by session_account, which holds no ended ones.
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
