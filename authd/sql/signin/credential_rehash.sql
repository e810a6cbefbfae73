-- Replaces a hash of older parameters, unless the password has changed meanwhile.
-- class: write
-- in: account uuid, former text, password_hash text, now int8
-- rows: none
update credential
set password_hash = :password_hash, updated_at = :now
where account_id = :account and password_hash = :former
