-- A page of the accounts of a project whose address begins with `search`: patients or
-- practitioners, see project_account_page and project_account_walk_search.
-- call: project_account_read
with
walked as materialized (
    -- include: project_account_walk_search(table = account, id = r.id, key = {r.email collate "C"},
    --     project = :project, patients = :patients, search = {lower(:search)},
    --     after_key = :after_key, after = :after, walk = :walk)
)
-- include: project_account_page(project = :project, organization = :organization, role = null,
--     state = :state, also = {true}, most = :most, now = :now)
