-- Creates an issuers' key for `alg`, and retires older ones at `retire_at`. Without `anyway`, only
-- if there is none; otherwise no row.
-- class: tx
-- in: kid text, alg text, private_sealed bytea, now int8, active_at int8, retire_at int8
-- in: anyway bool
-- rows: one
-- row: created_at int8
with
wanted as (
    select
    where :anyway or not exists (
        select from issuer_key where alg = :alg and retire_at is null
    )
),
retired as (
    update issuer_key
    set retire_at = :retire_at
    where alg = :alg and retire_at is null and exists (select from wanted)
),
created as (
    insert into issuer_key (kid, alg, private_sealed, created_at, active_at)
    select :kid, :alg, :private_sealed, :now, :active_at from wanted
    returning created_at
),
-- include: audit(from = created)
select created_at from created
