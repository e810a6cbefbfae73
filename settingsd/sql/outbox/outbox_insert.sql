-- Adds a message to another daemon without another change.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one),
-- include: outbox(from = (select) one)
select
