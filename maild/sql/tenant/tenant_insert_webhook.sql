-- Adds the webhooks of a project, from another installation.
-- class: tx
-- rows: one
-- row: added int8, same int8
with
-- include: tenant_insert(table = webhook,
--     match = {t.id = g.id},
--     state = {json_populate_record(t, '{"secret_sealed":null,"previous_sealed":null}')},
--     given = {json_populate_record(g, '{"secret_sealed":null,"previous_sealed":null}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
