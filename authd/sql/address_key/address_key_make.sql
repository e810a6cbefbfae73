-- Creates an account's keys if it has none. No row: another request is creating them, the account's
-- row is locked (this statement does not wait), or the account was deleted.
-- class: write
-- in: account uuid, public_key text, secret_sealed bytea
-- rows: one
-- row: public_key text
with
locked as (
    select id from account where id = :account for key share skip locked
),
made as (
    insert into account_address_key (account_id, public_key, secret_sealed)
    select id, :public_key, :secret_sealed from locked
    on conflict (account_id) do nothing
    returning public_key
)
select public_key from made
union all
select public_key from account_address_key where account_id = :account
