-- Adds a project's identity providers from another installation, which can only be drafts without a
-- secret and domains. One also counts as the same after an admin completed it here.
-- call: tenant_add
with
-- include: tenant_insert(table = identity_provider, match = {t.id = g.id},
--     project = {case when g.secret_sealed is null and g.domains = '{}' and g.enforced = '{}'
--         and g.state = 'draft' and g.tested_at is null then g.project_id end},
--     state = {json_populate_record(t, '{"secret_sealed":null,"domains":[],"enforced":[],
--     "state":"draft","tested_at":null,"updated_at":0}')},
--     given = {json_populate_record(g, '{"updated_at":0}')}),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) as same
