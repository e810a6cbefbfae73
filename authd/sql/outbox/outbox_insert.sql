-- Queues a message to another daemon.
-- class: write tx
-- rows: none
with
-- include: outbox(from = (select) one)
select
