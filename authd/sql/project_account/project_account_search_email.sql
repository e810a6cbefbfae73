-- A page of the accounts of a project whose address begins with `search`: patients or
-- practitioners, see project_account_page and project_account_walk_search.
-- class: read
-- in: project uuid, patients bool, search text, after_key text, after uuid, walk int8
-- in: organization uuid null, state text null, most int8, now int8
-- rows: many
-- row: walked int8, last_key text null, last uuid null, at_key text null, at uuid null
-- row: account struct project_account
with
walked as materialized (
    -- include: project_account_walk_search(table = account, id = r.id, key = {r.email collate "C"},
    --     project = :project, patients = :patients, search = {lower(:search)},
    --     after_key = :after_key, after = :after, walk = :walk)
)
-- include: project_account_page(project = :project, organization = :organization, role = null,
--     state = :state, also = {true}, most = :most, now = :now)
