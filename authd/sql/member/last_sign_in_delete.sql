-- Deletes the time of an account's last sign-in to a project. Lock the credential first, as
-- sign-ins do.
-- class: tx
-- in: account uuid, project uuid
-- rows: none
delete from last_sign_in
where account_id = :account and project_id = :project
