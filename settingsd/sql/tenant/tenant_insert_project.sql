-- Adds a project, from another installation: below none here, and suspended until an operator opens
-- it. It is the same also when it was opened since.
-- class: tx
-- rows: one
-- row: added int8, same int8
with
-- include: tenant_insert(table = project, match = {t.id = g.id},
--     project = {case when g.suspended and g.parent_id is null then g.id end}, own = t.id,
--     state = {json_populate_record(t, '{"suspended":true}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
