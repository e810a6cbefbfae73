-- Finds the document whose file this object is.
-- class: read
-- in: project uuid, object uuid
-- rows: one
-- row: id uuid
select id from document where project_id = :project and object_id = :object limit 1
