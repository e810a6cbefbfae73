-- Forgets when an account last signed in to a project. Behind the credential's lock: a sign-in takes
-- the two in that order.
-- class: tx
-- in: account uuid, project uuid
-- rows: none
delete from last_sign_in
where account_id = :account and project_id = :project
