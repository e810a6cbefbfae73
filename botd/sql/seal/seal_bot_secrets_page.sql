-- Returns a page of bots' secrets, after the key `after` or from the start
-- (common/service/seal_table.h).
-- call: seal_page
select
    project_id::text || id::text as key,
    null::text as subject,
    -- include: seal_other(column = secrets_sealed)
from bot
where (project_id, id) > (
    coalesce(left(:after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
    coalesce(substr(:after, 37), '00000000-0000-0000-0000-000000000000')::uuid
)
order by project_id, id
limit :most
