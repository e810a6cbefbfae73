-- Deletes all consents for a deleted client.
-- class: write
-- in: project uuid, client_id text
-- rows: none
delete from oauth_consent where project_id = :project and client_id = :client_id
