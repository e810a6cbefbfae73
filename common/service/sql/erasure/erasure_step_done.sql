-- Notes a completed erasure request. Repeatable.
-- class: write
-- in: account uuid, key uuid, now int8
-- rows: none
insert into erasure_step (account_id, key, done_at)
values (:account, :key, :now)
on conflict do nothing
