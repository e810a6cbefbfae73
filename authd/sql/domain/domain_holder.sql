-- Returns the project that has verified a domain. Runs after name_lock.
-- class: tx
-- in: domain text
-- rows: one
-- row: project uuid
select project_id as project from project_domain where domain = :domain and verified_at is not null
