-- Redeems an undo link; of two requests, one deletes it. Deletes nothing if it was redeemed or has
-- expired.
-- class: tx
-- in: id uuid, secret_hash bytea, now int8
-- rows: none
delete from email_undo
where id = :id and secret_hash = :secret_hash and
    -- include: not_expired(column = expires_at, now = :now)
