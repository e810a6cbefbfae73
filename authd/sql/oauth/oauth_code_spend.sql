-- Spends a code, without a session, after a wrong verifier.
-- class: write
-- in: project uuid, code_hash bytea, now int8
-- rows: one
-- row: account uuid
with
spent as (
    update oauth_code
    set used_at = :now
    where project_id = :project and code_hash = :code_hash and used_at is null
    returning account_id
),
-- include: audit(from = spent)
select account_id as account from spent
