-- Extends the lease of webhooks to which this process posts.
-- class: write
-- in: lease uuid, ids uuid[], until int8
-- rows: none
update webhook_queue set due_at = :until where webhook_id = any (:ids) and lease = :lease
