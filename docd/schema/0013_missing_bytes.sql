-- Time at which the store was found to lack a document's bytes (`atriumctl documents verify --repair`).
alter table document add column missing_at bigint;
-- Next try to adopt a file that arrived in S3; null: immediately.
alter table upload add column retry_at bigint;
