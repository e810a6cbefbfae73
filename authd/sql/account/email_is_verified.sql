-- Reports if an account's email address is verified for an organization (null: all).
-- class: read
-- in: account uuid, organization uuid null
-- rows: one
-- row: verified bool
select
    -- include: email_is_verified(account = :account, organization = :organization)
    as verified
