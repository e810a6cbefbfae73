-- All jobs of an account, for its erasure.
drop index concurrently if exists job_of_account;
create index concurrently job_of_account on job (account_id);
