-- What a project has of content, as it is for this transaction, which has written some: its change
-- of the row keeps others out.
-- class: tx
-- in: project uuid
-- rows: one
-- row: struct list_size
select entries as rows, bytes from content_usage where project_id = :project
