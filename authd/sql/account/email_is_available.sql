-- Reports if an account can have this email address: no other active account of its role and
-- project has it, or can undo a change from it. No row: the account was deleted.
-- class: read
-- in: account uuid, email text, now int8
-- rows: one
-- row: available bool
select
    not exists (
        select
        from account o
        where o.email = :email and o.role = a.role
            and o.project_id is not distinct from a.project_id and
            -- include: account_active(account = o, now = :now)
    )
    and not exists (
        select
        from email_undo u
        where u.email = :email and u.role = a.role
            and u.home_id is not distinct from a.project_id and u.account_id <> a.id
    ) as available
from account a
where a.id = :account
