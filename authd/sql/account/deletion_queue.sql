-- Queues what follows from a schedule: the mail to the owner (may be absent), the job that deletes
-- the account and the one that reminds the owner (may be absent); and numbers the change of the
-- account, which gateways must know of.
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
