-- Stores a form's answer until its claim expires.
-- class: write
-- in: slot int8, id bytea, answer bytea
-- rows: none
update page_submission set answer = :answer where slot = :slot and id = :id
