-- Drops the month $1 of the audit log in the first schema of search_path. Returns the number of its
-- rows.
select audit_drop($1)
