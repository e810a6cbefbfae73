-- True if neither address nor user agent of a session ({address_key}, {user_agent_key}) was known
-- to the account before the statement, see client_known.
-- args: address_key, user_agent_key, now
not exists (
    select
    from known_address
    where key in ({address_key}, {user_agent_key}) and
        -- include: not_expired(column = until, now = {now})
)
