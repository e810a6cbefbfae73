-- Uses a sign-in's state; of several callbacks, one gets the row.
-- class: write
-- in: id uuid, now int8
-- rows: one
with
spent as (
    update federated_login set used_at = :now where id = :id and used_at is null returning id
)
select from spent
