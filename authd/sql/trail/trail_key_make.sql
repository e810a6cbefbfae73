-- Stores the key that signs checkpoints if there is none.
-- class: write
-- in: public bytea, secret bytea
-- rows: none
with
made as (
    insert into trail_key (public_key, secret_sealed)
    values (:public, :secret)
    on conflict do nothing
    returning 1
),
-- include: audit(from = made)
select from made
