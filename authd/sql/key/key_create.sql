-- Creates a signing key for access tokens, and retires older ones at `retire_at`. Without `anyway`,
-- only if there is none; otherwise no row.
-- class: tx
-- in: kid text, private_sealed bytea, public_pem text, x text, y text, now int8, active_at int8
-- in: retire_at int8, anyway bool, change uuid, until int8
-- rows: one
-- row: sequence int8
with
counted as (
    update change_counter
    set sequence = sequence + 1
    where :anyway or not exists (select from signing_key where retire_at is null)
    returning sequence
),
retired as (
    update signing_key
    set retire_at = :retire_at
    where retire_at is null and exists (select from counted)
),
created as (
    insert into signing_key (kid, private_sealed, public_pem, x, y, created_at, active_at)
    select :kid, :private_sealed, :public_pem, :x, :y, :now, :active_at from counted
),
-- include: audit(from = counted)
insert into change (sequence, kind, id, until)
select sequence, 'keys', :change, :until from counted
returning sequence
