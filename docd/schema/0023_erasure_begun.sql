-- Same function as in common/service/schema/erasure.sql, which is newer than this daemon's tables. Returns whether the
-- account's erasure has begun, for a statement that adds what it would erase. It sees everything committed before the
-- call, not only before the statement; erasure_mark.sql waits for transactions that have called it. So each row is
-- either rejected here or found there. Null: no account.
create function erasure_begun(account uuid) returns boolean language plpgsql strict as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('erasure ' || account, 0));
    return exists (select from erasure e where e.account_id = account);
end
$$;

-- Makes a deleted document's objects due for the sweep and returns them. upload_begin.sql locks the document while it
-- adds an object, so none can follow. This function also sees objects added while the statement waited for that lock.
create function document_objects_expire(project uuid, document uuid, at bigint, account uuid)
returns setof uuid language plpgsql as $$
begin
    return query
        update object o
        set sweep_at = at, erased_for = account
        where o.project_id = project and o.document_id = document
        returning o.id;
end
$$;
