-- A page of the accounts of a project that an admin of it has locked, in the order of their ids, see
-- project_account_page.
-- call: project_account_read
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
