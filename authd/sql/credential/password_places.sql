-- Returns the memberships whose policies apply to a password: those of the account or the link's
-- account, and the one that an invitation will create.
-- class: read
-- in: account uuid null, link uuid null
-- rows: many
-- row: role role, project uuid, admin bool
(
    select a.role, m.project_id as project, m.admin
    from account a
    join membership m on m.account_id = a.id
    where a.id = :account
    limit 500
)
union
(
    select a.role, m.project_id, m.admin
    from (select account_id from password_reset where id = :link limit 1) r
    join account a on a.id = r.account_id
    join membership m on m.account_id = a.id
    limit 500
)
union
(
    select role, project_id, admin from invitation where id = :link
)
union
(
    select a.role, m.project_id, m.admin
    from (select * from invitation where id = :link limit 1) i
    join account a
        on a.role = i.role and a.email = i.email
        and (a.project_id is null or a.project_id = i.project_id)
    join membership m on m.account_id = a.id
    limit 499
)
