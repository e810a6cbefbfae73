-- What was erased of accounts that are gone: counts, which the statements that erase keep, so that none is lost or
-- counted twice. Identifiers only.
create table erasure (
    account_id  uuid not null,
    table_name  text not null,
    rows        bigint not null,
    bytes       bigint not null,            -- of complete files
    primary key (account_id, table_name)
);

-- Requests to erase that were carried out, by their keys.
create table erasure_step (
    account_id  uuid not null,
    key         uuid not null,
    done_at     bigint not null,            -- contract time
    primary key (account_id, key)
);

-- Whether the erasure of an account has begun, for a statement that is about to add what it would erase. It sees what was
-- committed before it is called, not only before its statement; erasure_mark.sql waits for the transactions that have
-- called it. So each row is either refused here or found there. Null: no account.
create function erasure_begun(account uuid) returns boolean language plpgsql strict as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('erasure ' || account, 0));
    return exists (select from erasure e where e.account_id = account);
end
$$;
