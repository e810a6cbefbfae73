-- Makes an account a member without an invitation, with an email to its owner. No row: it is gone.
-- class: tx
-- in: project uuid, id uuid, account uuid, profile uuid, admin bool, policy uuid null, now int8
-- in: organization uuid null
-- rows: one
-- row: struct member
with
inserted as (
    insert into membership (
        project_id, id, account_id, profile_id, admin, policy_id, created_at, invited_at
    )
    select :project, :id, id, :profile, :admin, :policy, :now, :now
    from account
    where id = :account
    for key share
    returning *
),
-- include: outbox as mail(from = inserted),
-- include: audit(from = inserted)
select
    -- include: member_columns(organization = :organization)
from inserted m
join account a on a.id = m.account_id
