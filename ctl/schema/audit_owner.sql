-- Protects a daemon's audit log from the daemon itself. ctl/provision.c replaces words between two @, one of them with
-- the text of common/service/schema/audit.sql. Running it again changes nothing.
--
-- The tables and the schema belong to atrium_audit. The daemon's role creates and owns everything else in the schema.
-- It reads the log, adds rows without a place in the chain, and gives each a place once. It cannot change or remove a
-- sealed row, drop or empty a table, or disable these rules: all this needs the owner or a superuser.
do $atrium$
declare
    item regclass;
begin
    if exists (select from pg_class where oid = to_regclass('@schema@.audit') and relowner = 'atrium_audit'::regrole) then
        return;
    end if;
    if to_regclass('@schema@.audit') is null then
        -- The daemon's migration finds this table.
        create table if not exists @schema@.schema_migration (name text primary key);
        alter table @schema@.schema_migration owner to "@role@";
        insert into @schema@.schema_migration values ('@migration@') on conflict do nothing;
        perform set_config('search_path', '@schema@', true);
        execute $audit_sql$@audit@$audit_sql$;
        perform set_config('search_path', '"$user", public', true);
    end if;

    alter schema @schema@ owner to atrium_audit;
    grant usage, create on schema @schema@ to "@role@";
    for item in select oid from pg_class where relnamespace = '@schema@'::regnamespace and relkind in ('r', 'p')
        and relname ~ '^audit(_|$)' loop
        execute format('alter table %s owner to atrium_audit', item);
    end loop;
    grant select, insert (at, project_id, entity, event), update (sequence, hash) on @schema@.audit to "@role@";
    grant select on sequence @schema@.audit_id_seq to "@role@";
    grant select, update (sequence, hash) on @schema@.audit_head to "@role@";
    grant select on @schema@.audit_gap to "@role@";

    create function @schema@.audit_guard() returns trigger language plpgsql as $guard$
    begin
        if (old.sequence is not null or new.sequence is null)
            and not pg_catalog.pg_has_role(current_user, 'atrium_audit', 'member') then
            raise exception 'a sealed row of the audit trail is not changed';
        end if;
        return new;
    end
    $guard$;
    create trigger audit_guard before update on @schema@.audit
        for each row execute function @schema@.audit_guard();

    create function @schema@.audit_head_guard() returns trigger language plpgsql as $guard$
    begin
        if new.sequence operator(pg_catalog.<=) old.sequence
            and not pg_catalog.pg_has_role(current_user, 'atrium_audit', 'member') then
            raise exception 'the end of the audit trail goes forward only';
        end if;
        return new;
    end
    $guard$;
    create trigger audit_head_guard before update on @schema@.audit_head
        for each row execute function @schema@.audit_head_guard();

    -- Same as in audit.sql, but runs with the owner's rights. The daemon's role can create functions in this schema, so
    -- every name is qualified: none of its functions can run with these rights.
    create or replace function @schema@.audit_month(name text, from_ms bigint, to_ms bigint) returns boolean
    language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $month$
    declare
        first timestamp;
    begin
        if name !~ '^audit_[0-9]{4}_[0-9]{2}$' then
            raise exception '% is no name of a month of the audit trail', name;
        end if;
        first := make_date(substr(name, 7, 4)::int, substr(name, 12, 2)::int, 1);
        if from_ms <> extract(epoch from first) * 1000 or to_ms <> extract(epoch from first + interval '1 month') * 1000 then
            raise exception '% is another month of the audit trail', name;
        end if;
        if to_regclass(format('@schema@.%I', name)) is not null then
            return true;
        end if;
        lock table @schema@.audit_other in access exclusive mode;
        lock table @schema@.audit in share row exclusive mode;
        if to_regclass(format('@schema@.%I', name)) is not null
            or exists (select from @schema@.audit_other where at >= from_ms and at < to_ms) then
            return true;
        end if;
        execute format('create table @schema@.%I (like @schema@.audit including constraints including indexes) '
                       'with (autovacuum_vacuum_scale_factor = 0.01)', name);
        execute format('alter table @schema@.audit attach partition @schema@.%I for values from (%s) to (%s)', name,
                       from_ms, to_ms);
        return true;
    exception when lock_not_available or deadlock_detected then
        return false;
    end
    $month$;

    create or replace function @schema@.audit_drop(name text) returns bigint
    language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $drop$
    declare
        rows bigint;
    begin
        lock table @schema@.audit in access exclusive mode;
        if not exists (select from pg_inherits where inhparent = '@schema@.audit'::regclass
                       and inhrelid = to_regclass(format('@schema@.%I', name)) and name <> 'audit_other') then
            raise exception '% is no month of the audit trail', name;
        end if;
        execute format('select count(*) from @schema@.%I where sequence is null', name) into rows;
        if rows > 0 then
            raise exception '% rows of % are not sealed yet', rows, name;
        end if;
        execute format('insert into @schema@.audit_gap (first, last, hash) '
                       'select min(sequence), max(sequence), (array_agg(hash order by sequence desc))[1] '
                       'from (select sequence, hash, sequence - row_number() over (order by sequence) as run '
                       'from @schema@.%I) r group by run', name);
        execute format('select count(*) from @schema@.%I', name) into rows;
        execute format('drop table @schema@.%I', name);
        return rows;
    end
    $drop$;
    alter function @schema@.audit_month(text, bigint, bigint) owner to atrium_audit;
    alter function @schema@.audit_drop(text) owner to atrium_audit;
    alter function @schema@.audit_guard() owner to atrium_audit;
    alter function @schema@.audit_head_guard() owner to atrium_audit;
    -- Comes last, because grants of the previous owner become the new owner's.
    revoke execute on function @schema@.audit_month(text, bigint, bigint), @schema@.audit_drop(text) from public;
    grant execute on function @schema@.audit_month(text, bigint, bigint) to "@role@";
end
$atrium$;
