-- Claims due rows under a lease: due_at moves to its end, so that a dead instance's rows become due
-- again. Skips methods whose service has no instance. Selects rows by an array: a join planned for
-- an empty table would read all rows for each claim. Times are real, in ms.
-- class: write
-- in: now int8, lease_until int8, count int8, absent text[]
-- rows: many
-- row: id uuid, method text, body bytea, attempts int8
with
claimed as (
    update outbox
    set due_at = :lease_until, attempts = attempts + 1
    where id = any (array(
        select id
        from outbox
        where due_at <= :now and method <> all (:absent)
        order by due_at, id
        limit :count
        for update skip locked
    ))
    returning id, method, body, attempts, created_at
)
select id, method, body, attempts from claimed order by created_at, id
