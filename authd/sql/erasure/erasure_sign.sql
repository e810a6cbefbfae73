-- Stores an erasure's receipt if there is none.
-- class: write
-- in: account uuid, receipt text, verifier_key text
-- rows: none
with
signed as (
    update erasure
    set receipt = :receipt, verifier_key = :verifier_key
    where account_id = :account and receipt is null
    returning 1
),
-- include: audit(from = signed)
select from signed
