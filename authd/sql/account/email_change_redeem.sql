-- Redeems a link that gives its account another address: of two requests with one link, one deletes
-- it. `changes`, unless null, is how often the credential had changed when the password was
-- verified that the request came with. Nothing is deleted: the link does not exist, was redeemed,
-- was replaced by a newer one or has expired, or the credential has changed since.
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
