-- What project p has of the projects above it, t: root_id, itself when it is one, and suspended,
-- whether it or one of them is. A project never gets another parent.
cross join lateral (
    with recursive above (id, parent_id, suspended) as (
        select p.id, p.parent_id, p.suspended
        union all
        select a.id, a.parent_id, a.suspended
        from above b
        cross join lateral (
            select x.id, x.parent_id, x.suspended from project x where x.id = b.parent_id limit 1
        ) a
    )
    select
        (array_agg(id) filter (where parent_id is null))[1] as root_id,
        bool_or(suspended) as suspended
    from above
) t
