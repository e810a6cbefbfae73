-- Is the e-mail address of an account verified for an organisation (null: for all)?
-- class: read
-- in: account uuid, organization uuid null
-- rows: one
-- row: verified bool
select
    -- include: email_is_verified(account = :account, organization = :organization)
    as verified
