-- Renames an account's passkey. No row: unknown.
-- class: tx
-- in: id uuid, account uuid, name text
-- rows: one
with
renamed as (
    update passkey
    set name = :name
    where id = :id and account_id = :account
    returning 1
),
-- include: audit(from = renamed)
select from renamed
