-- Reads a page of a project's accounts in the order of their names, see project_account_page. Reads
-- each role's members from where the page begins.
-- call: project_account_read
with
walked as materialized (
    select o.account_id, o.account_id as id, o.name as key
    from (values ('Patient'), ('Practitioner')) r (role)
    cross join lateral (
        select account_id, name
        from member_order
        where project_id = :project and role = r.role
            and (name, account_id) > (:after_key collate "C", :after)
        order by name, account_id
        limit :walk
    ) o
    where :role::text is null or r.role = :role
    order by o.name, o.account_id
    limit :walk
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, factor = :factor, admin = :admin, policy = :policy, also = true, most = :most,
--     now = :now)
