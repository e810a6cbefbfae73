-- Data of the projects above project p, as t: root_id, its own if it is the root, and suspended,
-- true if it or one above is. A project's parent never changes.
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
