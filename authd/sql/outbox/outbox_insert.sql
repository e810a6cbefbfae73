-- Queues what another daemon is to be told.
-- class: write tx
-- rows: none
with
-- include: outbox(from = (select) one)
select
