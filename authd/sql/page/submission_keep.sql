-- Keeps the answer of a form for as long as its claim says.
-- class: write
-- in: slot int8, id bytea, answer bytea
-- rows: none
update page_submission set answer = :answer where slot = :slot and id = :id
