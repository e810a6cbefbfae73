-- Replaces the organizations for which an account's address is verified.
-- class: tx
-- in: account uuid, organizations uuid[], now int8
-- rows: none
with
verified as (
    select distinct o as id from unnest(:organizations) o
),
deleted as (
    delete from email_verified
    where account_id = :account and organization_id not in (select id from verified)
)
insert into email_verified (account_id, organization_id, verified_at)
select :account, id, :now from verified
on conflict do nothing
