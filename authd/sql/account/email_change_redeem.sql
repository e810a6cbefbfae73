-- Redeems a link that changes an address; of two requests, one deletes it. `changes`, unless null,
-- is the credential's count when the request's password was verified. Deletes nothing if the link
-- was redeemed or replaced or has expired, or if the credential has changed.
-- class: tx
-- in: id uuid, secret_hash bytea, now int8, changes int8 null
-- rows: none
delete from email_link l
where l.id = :id and l.secret_hash = :secret_hash and l.kind = 'change' and
    -- include: not_expired(column = l.expires_at, now = :now)
    and (
        :changes is null
        or (select c.changes from credential c where c.account_id = l.account_id) = :changes
    )
