-- The second factor of a login was right: gives the login its session code, which is exchanged for
-- tokens until expires_at. The login is locked by login_lock.
-- class: tx
-- in: id uuid, code_hash bytea, factor text, expires_at int8, within uuid null
-- rows: none
update login
set code_hash = :code_hash, auth_method = auth_method || '+' || :factor,
    expires_at = :expires_at, within_id = :within
where id = :id
