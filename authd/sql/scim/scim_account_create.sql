-- Makes an account with its membership for a user of the directory. CONFLICT: another account has
-- the address, or can have it back by undoing a change.
-- class: tx
-- in: project uuid, account uuid, membership uuid, profile uuid, policy uuid null
-- in: email text, name text, surname text, password_hash text, now int8
-- rows: one
with
account_inserted as (
    insert into account (id, role, email, name, surname, created_at)
    values (:account, 'Practitioner', :email, :name, :surname, :now)
    returning id
),
-- include: address_key_insert(from = account_inserted),
credential_inserted as (
    insert into credential (account_id, password_hash, updated_at)
    select id, :password_hash, :now from account_inserted
),
inserted as (
    insert into membership (project_id, id, account_id, profile_id, policy_id, created_at)
    select :project, :membership, id, :profile, :policy, :now from account_inserted
    returning id
),
-- include: audit(from = inserted)
select from inserted
