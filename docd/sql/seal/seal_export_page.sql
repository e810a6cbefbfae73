-- Returns a page of exports' keys, after the key `after` or from the start
-- (common/service/seal_table.h).
-- call: seal_page
select
    project_id || ' ' || id as key,
    null::text as subject,
    -- include: seal_other(column = key_sealed)
from export
where key_sealed is not null
    and (project_id, id) > (
        coalesce(split_part(:after, ' ', 1), '00000000-0000-0000-0000-000000000000')::uuid,
        coalesce(split_part(:after, ' ', 2), '00000000-0000-0000-0000-000000000000')::uuid
    )
order by project_id, id
limit :most
