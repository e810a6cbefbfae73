-- Answers by their codes, and those of an account.
drop index concurrently if exists federated_login_code;
create unique index concurrently federated_login_code on federated_login (code_hash)
where code_hash is not null;
drop index concurrently if exists federated_login_account;
create index concurrently federated_login_account on federated_login (account_id)
where account_id is not null;
