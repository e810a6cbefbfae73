-- Spends the challenge of a sign-in by passkey, with a wrong answer: a row, unless it was spent.
-- class: write
-- in: id uuid, until int8
-- rows: none
insert into passkey_start_spent (id, until)
values (:id, :until)
on conflict (id) do nothing
