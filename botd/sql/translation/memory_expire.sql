-- Deletes translations of a project that were used last before a time, so many at most.
-- class: write
-- in: project uuid, before int8, count int8
-- rows: none
with
-- include: memory_delete(project = :project, before = :before, count = :count)
