-- Accounts that were erased, and what is signed of it when every daemon has done its part. Identifiers and counts only;
-- kept for good, also when a project is deleted.
create table erasure (
    account_id    uuid primary key,
    deleted_at    bigint not null,          -- contract time
    requests      bigint not null,          -- to docd, which it must have carried out
    receipt       text,                     -- signed note; null: not every daemon has done its part
    verifier_key  text,
    check ((receipt is null) = (verifier_key is null))
);

-- The rows that authd deleted with the account.
create table erasure_table (
    account_id  uuid not null references erasure,
    table_name  text not null,
    rows        bigint not null,
    primary key (account_id, table_name)
);
