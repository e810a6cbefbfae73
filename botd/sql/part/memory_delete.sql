-- Deletes up to {count} translations of {project} last used before {before}, oldest first, skips
-- locked ones, and subtracts them from the project's size s. Must come last, or before what returns
-- s.
-- args: project, before, count
deleted as (
    delete from translation_memory
    where ctid = any (array(
        select ctid
        from translation_memory
        where (project_id, used_at) >= ({project}, 0) and (project_id, used_at) < ({project}, {before})
        order by project_id, used_at
        limit {count}
        for update skip locked
    ))
    returning octet_length(value) as bytes
)
update translation_memory_size s
set entries = s.entries - d.entries, bytes = s.bytes - d.bytes
from (select count(*) as entries, sum(bytes) as bytes from deleted) d
where s.project_id = {project} and d.entries > 0
