-- Extends the lease of messages in delivery in this process. Never shortens one: mail_hand_over
-- sets a later end.
-- class: write
-- in: lease uuid, ids uuid[], until int8
-- rows: none
update message
set due_at = :until
where id = any (:ids) and lease = :lease and due_at < :until
