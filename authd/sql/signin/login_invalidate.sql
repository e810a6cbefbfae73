-- Makes a login's code invalid after a wrong verifier. No row: another request used it.
-- class: write
-- in: id uuid, now int8
-- rows: one
with
spent as (
    update login set used_at = :now where id = :id and used_at is null returning id
),
-- include: audit(from = spent)
select from spent
