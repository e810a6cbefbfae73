-- Makes an invitation with its email, or gives a pending one a new link. `promotes` adds admin
-- rights; otherwise a pending one keeps its own. No row: it is gone, another one has this role and
-- address, or it has become an admin's and this is a sign-up (no inviting member, no promotion).
-- class: write
-- in: project uuid, id uuid, pending bool, role role, email text, name text null
-- in: surname text null, promotes bool, policy uuid null, profile uuid, invited_at int8
-- in: invited_by uuid null
-- in: secret_hash bytea, expires_at int8
-- rows: one
with
inserted as (
    insert into invitation (
        project_id, id, role, email, name, surname, admin, policy_id, profile_id, invited_at,
        invited_by, secret_hash, expires_at
    )
    select
        :project, :id, :role, :email, :name, :surname, :promotes, :policy, :profile, :invited_at,
        :invited_by, :secret_hash, :expires_at
    where not :pending
    on conflict (project_id, role, email) do nothing
    returning id
),
renewed as (
    update invitation i
    set
        secret_hash = :secret_hash,
        expires_at = :expires_at,
        admin = admin or :promotes,
        invited_by = coalesce(:invited_by, invited_by)
    where :pending and project_id = :project and id = :id
        and (
            :promotes or :invited_by is not null or not
            -- include: invited_by_admin(invitation = i)
        )
    returning id
),
sent as (
    select id from inserted
    union all
    select id from renewed
),
-- include: outbox as mail(from = sent),
-- include: audit(from = sent)
select from sent
