-- Deletes an account's logins for a project. A login without a project creates no session there,
-- because its last step checks the membership.
-- class: tx
-- in: account uuid, project uuid
-- rows: none
delete from login where account_id = :account and project_id = :project and used_at is null
