-- Stores a pushed request.
-- class: write
-- in: project uuid, hash bytea, client_id text, request text, expires_at int8, keep_until int8
-- rows: none
insert into oauth_pushed (project_id, hash, client_id, request, expires_at, keep_until)
values (:project, :hash, :client_id, :request, :expires_at, :keep_until)
