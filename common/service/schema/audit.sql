-- The audit log: this daemon's changes and sign-ins. NNNN_audit.sql in each daemon's schema folder links to this file.
-- The statement of a change also writes its row. Soon after, common/service/audit_chain.c seals the row with its place
-- in the chain. Verification uses that place, never the time, which can jump.

create table audit (
    id          bigint generated always as identity,
    at          bigint not null,            -- contract time, ms
    project_id  uuid,                       -- null: the installation's
    entity      text,                       -- such as 'Session/<id>'
    event       json not null,              -- see common/service/audit.h; not jsonb, because the hash covers its text
    sequence    bigint,                     -- place in the chain, from 1; null until sealed
    hash        bytea,                      -- of this row and the previous hash
    check ((sequence is null) = (hash is null))
) partition by range (at);
create index audit_unsealed on audit (id) where sequence is null;
create index audit_sequence on audit (sequence) where sequence is not null;
create index audit_project on audit (project_id, sequence) where sequence is not null;

-- Rows with a time outside of all partitions, from a wrong clock.
create table audit_other partition of audit default;
alter table audit_other set (autovacuum_vacuum_scale_factor = 0.01);

-- The end of the chain. One instance at a time locks its row and seals.
create table audit_head (
    only_row  boolean primary key default true check (only_row),
    sequence  bigint not null,
    hash      bytea not null
);
insert into audit_head (sequence, hash) values (0, ''::bytea);

-- Parts of the chain that were dropped on purpose; the row after `last` continues from `hash`.
create table audit_gap (
    first  bigint primary key,
    last   bigint not null,
    hash   bytea not null
);

-- Creates the partition of the month [from_ms, to_ms), named by its first day, unless it exists or audit_other has rows
-- of that month, which stay there. Returns false if a lock was not available: retry later. Both locks block all writes
-- for some milliseconds, because a concurrent write must not choose audit_other for a row of the month. audit_other,
-- which a backup can hold for longer, is locked first, so that writes do not wait meanwhile.
create function audit_month(name text, from_ms bigint, to_ms bigint) returns boolean
language plpgsql set lock_timeout = '200ms' as $$
begin
    if to_regclass(format('%I', name)) is not null then
        return true;
    end if;
    lock table audit_other in access exclusive mode;
    lock table audit in share row exclusive mode;
    if to_regclass(format('%I', name)) is not null
        or exists (select from audit_other where at >= from_ms and at < to_ms) then
        return true;
    end if;
    execute format('create table %I (like audit including constraints including indexes) '
                   'with (autovacuum_vacuum_scale_factor = 0.01)', name);
    execute format('alter table audit attach partition %I for values from (%s) to (%s)', name, from_ms, to_ms);
    return true;
exception when lock_not_available or deadlock_detected then
    return false;
end
$$;

-- Drops a month ('audit_2026_01') and notes its part of the chain, which verification skips. For the operator, in psql.
-- Returns the number of rows.
create function audit_drop(name text) returns bigint
language plpgsql set lock_timeout = '5s' as $$
declare
    rows bigint;
begin
    lock table audit in access exclusive mode;
    if not exists (select from pg_inherits where inhparent = 'audit'::regclass
                   and inhrelid = to_regclass(format('%I', name)) and name <> 'audit_other') then
        raise exception '% is no month of the audit trail', name;
    end if;
    execute format('select count(*) from %I where sequence is null', name) into rows;
    if rows > 0 then
        raise exception '% rows of % are not sealed yet', rows, name;
    end if;
    execute format('insert into audit_gap (first, last, hash) '
                   'select min(sequence), max(sequence), (array_agg(hash order by sequence desc))[1] '
                   'from (select sequence, hash, sequence - row_number() over (order by sequence) as run from %I) r '
                   'group by run', name);
    execute format('select count(*) from %I', name) into rows;
    execute format('drop table %I', name);
    return rows;
end
$$;
