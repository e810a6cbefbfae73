-- Deletes a tenth of a project's translations, oldest first, if they exceed its limits. Returns
-- what is left. No row: nothing was deleted.
-- class: write
-- in: project uuid, entries_max int8, bytes_max int8
-- rows: one
-- row: entries int8, bytes int8
with
over as (
    select entries
    from translation_memory_size
    where project_id = :project and (entries > :entries_max or bytes > :bytes_max)
    for update
),
-- include: memory_delete(project = :project, before = 9223372036854775807, count = coalesce((select entries / 10 + 1 from over), 0))
returning s.entries, s.bytes
