-- Retires a rotated key, which is kept, sealed by the new one. No row: already retired.
-- class: write
-- in: id text, now int8, sealed bytea
-- rows: none
with
retired as (
    update seal_key
    set retired_at = :now, key_sealed = :sealed
    where id = :id and retired_at is null
    returning id
),
-- include: audit(from = retired)
select from retired
