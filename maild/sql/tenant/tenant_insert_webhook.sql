-- Adds a project's webhooks from another installation. Webhooks of a release without formats get
-- the format standard: the missing columns are appended to their rows.
-- call: tenant_add
with
-- include: tenant_insert(table = webhook,
--     match = {t.id = g.id},
--     state = {json_populate_record(t, '{"secret_sealed":null,"previous_sealed":null}')},
--     given = {json_populate_record(g, '{"secret_sealed":null,"previous_sealed":null}')},
--     row = {case
--         when e.value ->> 'format' is null
--         then (left(e.value::text, -1) || ','
--             || substr('{"format":"standard","audience":null}', 2))::json
--         else e.value
--     end}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
