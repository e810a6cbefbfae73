-- Deletes translations of {project} that were used last before {before}, the oldest first and
-- {count} at most, but none that another transaction holds, and takes them off the project's size.
-- Behind it follows nothing, or what is to be returned of s.
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
