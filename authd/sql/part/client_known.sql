-- Records address and user agent of a session ({address_key}, {user_agent_key}) as known to the
-- account for 180 days after {now}, if {from} has a row. Writes only once a day.
-- args: address_key, user_agent_key, now, from
{as}_inserted as (
    insert into known_address (key, until)
    select k.key, {now} + 15552000000
    from {from}
    cross join unnest(array[{address_key}, {user_agent_key}]) k (key)
    where coalesce((select o.until from known_address o where o.key = k.key), 0)
        < {now} + 15552000000 - 86400000
    on conflict (key) do update set until = excluded.until
)
