-- A page of the accounts of a project that an admin of it has locked, in the order of their ids, see
-- project_account_page.
-- class: read
-- in: project uuid, after uuid, walk int8
-- in: organization uuid null, role role null, state text null, most int8, now int8
-- rows: many
-- row: walked int8, last_key text null, last uuid null, at_key text null, at uuid null
-- row: account struct project_account
with
walked as materialized (
    select m.account_id, m.account_id as id, '' collate "C" as key
    from membership m
    where m.project_id = :project and m.locked_at is not null and m.account_id > :after
    order by m.account_id
    limit :walk
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, also = true, most = :most, now = :now)
