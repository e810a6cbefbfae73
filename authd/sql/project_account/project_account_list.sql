-- A page of the accounts of a project in the order of their memberships, see project_account_page.
-- class: read
-- in: project uuid, after uuid, walk int8
-- in: organization uuid null, role role null, state text null, most int8, now int8
-- rows: many
-- row: walked int8, last_key text null, last uuid null, at_key text null, at uuid null
-- row: account struct project_account
with
walked as materialized (
    select m.account_id, m.id, '' collate "C" as key
    from membership m
    where m.project_id = :project and m.id > :after
    order by m.id
    limit :walk
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, also = true, most = :most, now = :now)
