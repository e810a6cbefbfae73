-- Redeems a link that verifies its account's address for an organization (null: all); of two
-- requests, one gets the row. `changes`, unless null, is the credential's count when the request's
-- password was verified. No row: the link was redeemed or replaced or has expired, or the
-- credential has changed.
-- class: tx
-- in: id uuid, secret_hash bytea, now int8, organization uuid null, changes int8 null
-- rows: one
with
redeemed as (
    delete from email_link l
    where l.id = :id and l.secret_hash = :secret_hash and l.kind = 'verify' and
        -- include: not_expired(column = l.expires_at, now = :now)
        and (
            :changes is null
            or (select c.changes from credential c where c.account_id = l.account_id) = :changes
        )
    returning l.account_id
),
-- include: email_verified_insert as email_verified(account = r.account_id, organization = :organization, now = :now, from = redeemed r),
-- include: audit(from = redeemed)
select from redeemed
