-- Writes the new password of an account whose old one was verified when the credential had changed
-- that many times. No row: another change came first, so what was verified is the old password no
-- more.
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
