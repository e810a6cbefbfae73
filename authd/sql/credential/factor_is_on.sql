-- True when the account has a second factor.
-- class: read
-- in: account uuid
-- rows: one
-- row: enrolled bool
select coalesce(
    -- include: factor_enrolled(account = :account)
, false) as enrolled
