-- As in common/service/schema/erasure.sql, which came after this daemon's tables: whether the erasure of an account has
-- begun, for a statement that is about to add what it would erase. It sees what was committed before it is called, not
-- only before its statement; erasure_mark.sql waits for the transactions that have called it. So each row is either
-- refused here or found there. Null: no account.
create function erasure_begun(account uuid) returns boolean language plpgsql strict as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended('erasure ' || account, 0));
    return exists (select from erasure e where e.account_id = account);
end
$$;

-- Makes the objects of a document that this transaction deletes due, and returns them. upload_begin.sql holds the
-- document while it adds one, so that none comes later; those that came while the statement waited for the document are
-- seen here, and not by the statement.
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
