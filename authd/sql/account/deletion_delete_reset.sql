-- Deletes the link to set a password of an account whose deletion is due, before the account is
-- locked (order of locks).
-- class: tx
-- in: account uuid, schedule uuid, now int8
-- rows: none
delete from password_reset r
using account a
where r.account_id = a.id and a.id = :account and a.delete_schedule = :schedule
    and a.delete_at <= :now
