-- Cancels the scheduled deletion of an account that signs in, and the scheduled end of its
-- memberships, in the statement that creates the session {from} and locks the account. {as}_change
-- is the change for gateways, valid until `until`; `event` is the audit row's.
-- args: from, project, now
-- in: until int8, event text
{as}_aborted as (
    update account a
    set delete_at = null, delete_schedule = null, delete_wipe = false
    from {from} s
    where a.id = s.account_id and a.delete_at > {now}
    returning a.id
),
{as}_stayed as (
    update membership m
    set end_at = null, end_schedule = null, end_wipe = false
    where m.account_id = any (array(select account_id from {from})) and m.end_at > {now}
    returning m.account_id
),
{as}_kept as (
    select id from {as}_aborted
    union
    select account_id from {as}_stayed
),
{as}_counted as (
    update change_counter
    set sequence = sequence + 1
    where exists (select from {as}_kept)
    returning sequence
),
{as}_change as (
    insert into change (sequence, kind, id, until)
    select c.sequence, 'account', k.id, :until from {as}_counted c, {as}_kept k
    returning sequence
),
{as}_written as (
    insert into audit (project_id, at, entity, event)
    select {project}, {now}, 'Account/' || id, :event::json from {as}_kept
)
