-- Records that the address (a pair's throttle key, {key}) had a good sign-in to the account, if
-- {from} has a row, until {until} or up to a minute longer. Writes only once a minute: otherwise an
-- account's parallel sign-ins from one address would wait for each other's commit. Ends the pair's
-- series of failures.
-- args: key, until, from
{as}_inserted as (
    insert into known_address (key, until)
    select {key}, {until} + 60000
    from {from}
    where not exists (select from known_address where key = {key} and until - {until} > 0)
    on conflict (key) do update set until = excluded.until
),
{as}_failures_cleared as (
    update throttle
    set in_a_row = 0
    where key = {key} and in_a_row > 0 and exists (select from {from})
)
