-- Returns a page of a project's members by membership, `count` rows after `after` (null: from the
-- start). The account is empty if its address is not from `from` on and before `end`, or, with
-- `locked`, if it is not locked.
-- class: read
-- in: project uuid, after uuid null, from_email text, end_email text, locked bool, count int8
-- in: now int8
-- rows: many
-- row: membership uuid, user struct user
select m.id as membership, a.*
from (
    select *
    from membership
    where project_id = :project
        and id > coalesce(:after, '00000000-0000-0000-0000-000000000000')
    order by id
    limit :count
) m
left join lateral (
    select
        -- include: user_columns(now = :now)
    from account a
    where a.id = m.account_id
        and a.email collate "C" >= :from_email and a.email collate "C" < :end_email
        and (not :locked or a.locked_at is not null) and
        -- include: account_active(account = a, now = :now)
    limit 1
) a on true
order by m.id
