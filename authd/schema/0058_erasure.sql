-- Erased accounts, with the signed receipt once every daemon is done. Only ids and counts, kept
-- forever, even after a project's deletion.
create table erasure (
    account_id    uuid primary key,
    deleted_at    bigint not null,          -- contract time
    requests      bigint not null,          -- to docd
    receipt       text,                     -- signed note; null: a daemon is not done
    verifier_key  text,
    check ((receipt is null) = (verifier_key is null))
);

-- Rows that authd deleted with the account.
create table erasure_table (
    account_id  uuid not null references erasure,
    table_name  text not null,
    rows        bigint not null,
    primary key (account_id, table_name)
);
