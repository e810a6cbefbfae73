-- The address of an account is verified for these organisations from now on, and for no others:
-- those of the list and `organization`; where that is null, for all.
-- class: tx
-- in: account uuid, organizations uuid[], organization uuid null, now int8
-- rows: none
with
verified as (
    select distinct o as id
    from unnest(array_append(
        :organizations, coalesce(:organization, '00000000-0000-0000-0000-000000000000')
    )) o
),
deleted as (
    delete from email_verified
    where account_id = :account and organization_id not in (select id from verified)
)
insert into email_verified (account_id, organization_id, verified_at)
select :account, id, :now from verified
on conflict do nothing
