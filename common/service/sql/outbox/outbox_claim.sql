-- Claims rows that are due under a lease: due_at moves to its end, so that the rows of an instance
-- that dies are due again by themselves. Not those of methods whose service has no instance. Rows are
-- named by an array: joined, a plan that was made while the table was empty would read all of it for
-- each claim. Times are real time, ms.
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
