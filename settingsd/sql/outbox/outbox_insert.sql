-- Writes what another daemon is to be told, where nothing else changes.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one),
-- include: outbox(from = (select) one)
select
