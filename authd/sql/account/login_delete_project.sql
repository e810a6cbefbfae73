-- Deletes the sign-ins of an account that were begun for a project. One that names none yet makes no
-- session there: its last step looks at the membership.
-- class: tx
-- in: account uuid, project uuid
-- rows: none
delete from login where account_id = :account and project_id = :project and used_at is null
