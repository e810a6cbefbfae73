-- Keeps other children from being added to the tree of that root, keeps it from being suspended, and
-- keeps other policies and clients of that project from being added, until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from project where id = :project for no key update
