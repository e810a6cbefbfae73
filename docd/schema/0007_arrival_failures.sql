-- A file that arrived in S3 but could not be adopted: time of the first failure, and number of failures.
alter table upload add column failed_at bigint, add column failures bigint not null default 0;
