-- Reads a page of a project's accounts, newest membership first, see project_account_page. Reads
-- each role's members from where the page begins; the first page has no `after`.
-- call: project_account_read
with
walked as materialized (
    select o.account_id, o.membership_id as id, '' collate "C" as key
    from (values ('Patient'), ('Practitioner')) r (role)
    cross join lateral (
        select account_id, membership_id
        from member_order
        where project_id = :project and role = r.role
            and membership_id < coalesce(
                nullif(:after, '00000000-0000-0000-0000-000000000000'::uuid),
                'ffffffff-ffff-ffff-ffff-ffffffffffff'
            )
        order by membership_id desc
        limit :walk
    ) o
    where :role::text is null or r.role = :role
    order by o.membership_id desc
    limit :walk
)
-- include: project_account_page(project = :project, organization = :organization, role = :role,
--     state = :state, factor = :factor, admin = :admin, policy = :policy, also = true, most = :most,
--     now = :now, next = desc, last = asc)
