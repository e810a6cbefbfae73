-- A file that came to a store of S3 and could not be taken over: since when, and how often that was tried.
alter table upload add column failed_at bigint, add column failures bigint not null default 0;
