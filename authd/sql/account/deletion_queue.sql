-- Queues the email to the owner (can be absent), the job that deletes the account and the reminder
-- job (can be absent). Numbers the account's change for gateways.
-- class: tx
-- in: account uuid
-- rows: one
-- row: sequence int8
with
-- include: outbox as mail(from = (select) one),
-- include: outbox as deletion(from = (select) one),
-- include: outbox as reminder(from = (select) one),
-- include: change_insert as change(kind = 'account', id = :account, from = (select) one)
select sequence from change_inserted
