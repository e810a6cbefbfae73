-- Records that a test of a provider succeeded, unless it was changed after `started`. No row: it was.
-- class: write
-- in: id uuid, started int8, now int8
-- rows: one
with
tested as (
    update identity_provider
    set tested_at = :now
    where id = :id and updated_at <= :started
    returning id
),
-- include: audit(from = tested)
select from tested
