-- Writes an account's new password. `changes` is the credential's count when the old password was
-- verified. No row: the credential has changed since.
-- class: tx
-- in: account uuid, changes int8, password_hash text, now int8
-- rows: one
with
changed as (
    update credential
    set password_hash = :password_hash, updated_at = :now, changes = changes + 1
    where account_id = :account and changes = :changes
    returning account_id
),
-- include: audit(from = changed)
select from changed
