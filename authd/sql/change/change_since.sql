-- The counter and the changes after `since` in one snapshot; a gateway that starts (`since` 0) has
-- cached nothing, so it needs the ended sessions only. One row without a change when there is none.
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
