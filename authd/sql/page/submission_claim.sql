-- Claims a form for this call, or returns its answer. Neither: another call is handling it.
-- class: write
-- in: slot int8, id bytea, now int8, held_until int8, until int8
-- rows: one
-- row: claimed bool, answer bytea null
with
known as (
    select s.answer, s.answer is not null or s.held_until > :now as taken
    from page_submission s
    where s.slot = :slot and s.id = :id and s.until > :now
),
claim as (
    insert into page_submission as s (slot, id, held_until, until)
    select :slot, :id, :held_until, :until
    where not exists (select from known where taken)
    on conflict (slot) do update
    set id = excluded.id, held_until = excluded.held_until, until = excluded.until, answer = null
    where s.id <> excluded.id or s.until <= :now or (s.answer is null and s.held_until <= :now)
    returning s.slot
)
select exists (select from claim) as claimed, (select k.answer from known k) as answer
