-- Adds a project's invitations from another installation, without links. An invitation also counts
-- as the same if it was sent again here, or if the person is invited instead of an account of the
-- file.
-- call: tenant_add
with
-- include: tenant_insert(table = invitation, match = {t.id = g.id
--     and t.id = any (array(select id from tenant_insert_given))},
--     project = {case when g.secret_hash = '' and g.sign_up_hash is null then g.project_id end},
--     state = {json_populate_record(t, '{"secret_hash":"","expires_at":0,"invited_by":null,
--     "sign_up_hash":null,"sign_up_expires_at":null}')},
--     given = {json_populate_record(g, '{"secret_hash":"","expires_at":0,"invited_by":null,
--     "sign_up_hash":null,"sign_up_expires_at":null}')}),
passed as (
    select 1
    from tenant_insert_given g
    cross join lateral (
        select i.id
        from invitation i
        where i.project_id = :tenant_insert.project and i.role = g.role and i.email = g.email
            and i.id <> g.id
        limit 1
    ) i
    cross join lateral (
        select t.membership_id
        from transfer_account t
        where t.project_id = :tenant_insert.project and t.membership_id = i.id and t.invited
        limit 1
    ) t
),
-- include: audit(from = tenant_insert_found)
select
    (select count(*) from tenant_insert_added) as added,
    (select count(*) from tenant_insert_same) + (select count(*) from passed) as same
