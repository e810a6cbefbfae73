-- The number of the last change of a policy or project plus one, see
-- authd/session/admission_cache.h.
(
    select 1 + coalesce((
        select sequence
        from change
        where kind in ('policy', 'project')
        order by sequence desc
        limit 1
    ), 0)
)
