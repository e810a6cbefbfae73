-- Returns the version of a patient's list (schema 0020). No row, or 0: none.
-- class: read
-- in: project uuid, author uuid
-- rows: one
-- row: version int8
select coalesce(version, 0) as version from document_usage where project_id = :project and author_id = :author
