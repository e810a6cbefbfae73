-- Deletes a page of what clients of a deleted project are to be told.
-- class: write
-- rows: one
-- row: removed int8
with
-- include: purge(table = logout_delivery, key = {project_id, session_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
