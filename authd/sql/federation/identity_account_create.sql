-- Makes the account of a person that a provider names. No row: the address has an account.
-- class: tx
-- in: account uuid, role role, home uuid null, email text, name text, surname text, now int8
-- in: password_hash text
-- rows: one
with
created as (
    insert into account (id, role, project_id, email, name, surname, created_at)
    values (:account, :role, :home, :email, :name, :surname, :now)
    on conflict do nothing
    returning id
),
-- include: address_key_insert(from = created),
credential_inserted as (
    insert into credential (account_id, password_hash, updated_at)
    select id, :password_hash, :now from created
)
select from created
