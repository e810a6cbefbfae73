-- Deletes a project's translations last used before a time, up to a limit.
-- class: write
-- in: project uuid, before int8, count int8
-- rows: none
with
-- include: memory_delete(project = :project, before = :before, count = :count)
