-- Returns the counter and the changes after `since` in one snapshot. A gateway that starts (`since`
-- 0) has an empty cache and needs only the ended sessions. Without changes, returns one row without
-- a change.
-- class: vital
-- in: since int8, now int8, most int8
-- rows: many
-- row: top int8, change struct change
select
    k.sequence as top,
    c.sequence,
    c.kind,
    c.id,
    c.token,
    case when c.kind = 'session' then c.until end as until
from change_counter k
left join lateral (
    select *
    from change
    where sequence > :since and (:since > 0 or kind = 'session') and
        -- include: not_expired(column = until, now = :now)
    order by sequence, id
    limit :most
) c on true
order by c.sequence, c.id
