-- Locks a project until the transaction ends: no child can be added to its tree (for a root), it
-- cannot be suspended, and no policy or client can be added.
-- class: tx
-- in: project uuid
-- rows: one
select from project where id = :project for no key update
