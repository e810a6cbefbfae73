-- The address (the throttle key of a pair, {key}) becomes one with a good sign-in to the account,
-- if {from} has a row: until {until}, or up to a minute longer. Within that minute it is not
-- written again: of the sign-ins of one account from one address, each would hold the row until its
-- commit is on disk. The failures of the pair are no longer in a row.
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
