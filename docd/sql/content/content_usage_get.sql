-- Returns a project's usage, for a transaction whose change has locked the row.
-- class: tx
-- in: project uuid
-- rows: one
-- row: struct list_size
select entries as rows, bytes from content_usage where project_id = :project
