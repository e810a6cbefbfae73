-- Drops the month $1 of the audit trail of the schema that is first in search_path: how many rows it
-- had.
select audit_drop($1)
