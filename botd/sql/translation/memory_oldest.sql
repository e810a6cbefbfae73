-- Returns the project with the least recently used translation, if that was used before `before`.
-- No row: all were used since.
-- class: read
-- in: before int8
-- rows: one
-- row: project uuid
select project_id as project
from translation_memory
where used_at < :before
order by used_at
limit 1
