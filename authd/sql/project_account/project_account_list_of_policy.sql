-- Reads a page of a project's accounts with an access policy in the order of their memberships, see
-- project_account_page.
-- call: project_account_read
with
walked as materialized (
    select m.account_id, m.id, '' collate "C" as key
    from membership m
    where m.project_id = :project and m.policy_id = :policy and m.id > :after
    order by m.id
    limit :walk
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, factor = :factor, admin = :admin, policy = :policy, also = true, most = :most,
--     now = :now)
