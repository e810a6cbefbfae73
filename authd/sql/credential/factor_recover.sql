-- Uses a recovery code, found by its hashes. No row: unknown or used.
-- class: tx
-- in: account uuid, hashes bytea[], now int8
-- rows: one
with
used as (
    update mfa_recovery
    set used_at = :now
    where account_id = :account and code_hash = any (:hashes) and used_at is null
    returning account_id
),
-- include: audit(from = used)
select from used
