-- Invites practitioners of a tenant's file, with the ids of their memberships and profiles but
-- without admin rights, if an account here has their id or address or can undo a change from the
-- address. That account stays unchanged. Invites none for an account that the file has added, for a
-- patient's account, or if the project has a membership of such an account or with that id. Runs
-- after tenant_insert_account, so that it sees earlier accounts.
-- class: tx
-- in: project uuid, rows text, expires_at int8
-- rows: one
-- row: invited int8
with
-- include: transfer_given as given(rows = :rows, project = :project),
in_the_way as (
    select g.account, g.membership
    from given g
    cross join lateral (
        select
            count(*) as accounts,
            coalesce(bool_or(a.role = 'Patient'), false) as patient,
            coalesce(bool_or(m.id is not null), false) as member
        from (
            select id, role from account where id = (g.account).id
            union
            select id, role from account
            where role = 'Practitioner' and email = (g.account).email
        ) a
        left join lateral (
            select id from membership where account_id = a.id and project_id = :project limit 1
        ) m on true
    ) w
    left join lateral
        -- include: transfer_noted(project = :project, account = (g.account).id)
        t on true
    where (g.account).role = 'Practitioner' and not w.patient and not w.member
        and (
            w.accounts > 0 or
            -- include: transfer_reserved(account = g.account)
        )
        and t.account_id is null
        and (
            select m.id from membership m where m.project_id = :project and m.id = (g.membership).id
        ) is null
),
made as (
    insert into invitation (
        project_id, id, role, email, name, surname, policy_id, profile_id, invited_at, secret_hash,
        expires_at
    )
    select
        :project, (w.membership).id, 'Practitioner', (w.account).email, (w.account).name,
        (w.account).surname, (w.membership).policy_id, (w.membership).profile_id, :audit.at, '',
        :audit.at
    from in_the_way w
    order by (w.account).email
    on conflict do nothing
    returning id
),
noted as (
    insert into transfer_account (
        project_id, account_id, membership_id, invited, admin, expires_at
    )
    select
        :project, (w.account).id, i.id, true, (w.membership).admin, :expires_at
    from made i
    join in_the_way w on (w.membership).id = i.id
    on conflict do nothing
    returning membership_id
),
-- include: audit(from = noted, entity = {'Invitation/' || membership_id})
select count(*) as invited from noted
