-- Numbers the changes {from}, of {kind} "session", "membership", "account", "policy", "project" or
-- "keys" with {id}, which gateways must know until `until`. Locks the counter until the commit.
-- args: kind, id, from
-- in: until int8
{as}_counted as (
    update change_counter
    set sequence = sequence + 1
    where exists (select from {from})
    returning sequence
),
{as}_inserted as (
    insert into change (sequence, kind, id, until)
    select c.sequence, {kind}, {id}, :until from {as}_counted c, {from}
    returning sequence, id
)
