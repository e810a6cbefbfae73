-- Notes that a request to erase was carried out; repeating it changes nothing.
-- class: write
-- in: account uuid, key uuid, now int8
-- rows: none
insert into erasure_step (account_id, key, done_at)
values (:account, :key, :now)
on conflict do nothing
