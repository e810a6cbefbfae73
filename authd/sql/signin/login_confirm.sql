-- After a right second factor, gives the login its session code, valid until expires_at. login_lock
-- locked the login.
-- class: tx
-- in: id uuid, code_hash bytea, factor text, expires_at int8, within uuid null
-- rows: none
update login
set code_hash = :code_hash, auth_method = auth_method || '+' || :factor,
    expires_at = :expires_at, within_id = case when identity_id is null then :within else within_id end
where id = :id
