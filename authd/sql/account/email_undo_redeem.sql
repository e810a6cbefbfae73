-- Redeems a link that takes the change of an address back: of two requests with one link, one
-- deletes it. Nothing is deleted: the link does not exist, was redeemed or has expired.
-- class: tx
-- in: id uuid, secret_hash bytea, now int8
-- rows: none
delete from email_undo
where id = :id and secret_hash = :secret_hash and
    -- include: not_expired(column = expires_at, now = :now)
