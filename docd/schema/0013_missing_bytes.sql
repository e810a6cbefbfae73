-- Since when it is known that the store does not have the bytes of a document (`atriumctl documents verify --repair`).
alter table document add column missing_at bigint;
-- When it is tried again to take over a file that came to a store of S3; null: at once.
alter table upload add column retry_at bigint;
