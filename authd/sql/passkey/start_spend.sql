-- Uses up a sign-in's challenge after a wrong answer. No row: already used.
-- class: write
-- in: id uuid, until int8
-- rows: none
insert into passkey_start_spent (id, until)
values (:id, :until)
on conflict (id) do nothing
