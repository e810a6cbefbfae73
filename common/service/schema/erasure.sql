-- Counts of what was erased of deleted accounts. The erasing statements update them, so that none is lost or counted
-- twice. Identifiers only.
create table erasure (
    account_id  uuid not null,
    table_name  text not null,
    rows        bigint not null,
    bytes       bigint not null,            -- complete files'
    primary key (account_id, table_name)
);

-- Completed erasure requests, by key.
create table erasure_step (
    account_id  uuid not null,
    key         uuid not null,
    done_at     bigint not null,            -- contract time
    primary key (account_id, key)
);

-- Returns true if an account's erasure has begun, for a statement that is about to add a row. It sees commits up to its
-- call, not only up to its statement's start, and erasure_mark.sql waits for transactions that have called it. So each
-- row is either refused here or erased there. Null: no account.
create function erasure_begun(account uuid) returns boolean language plpgsql strict as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('erasure ' || account, 0));
    return exists (select from erasure e where e.account_id = account);
end
$$;
