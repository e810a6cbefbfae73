-- Projects that are read-only while they move to another installation: a row for each named project and each below it.
-- Each moving table has a trigger that rejects changes of their rows by running requests, tasks and operators. See
-- common/service/project_read_only.h. NNNN_project_hold.sql in the schema folders link to this file.

create table project_hold (
    project_id  uuid not null,
    held_by     uuid not null,              -- the named project: this one, or one above
    held_at     bigint not null,            -- real time, ms
    primary key (project_id, held_by)
);
create index project_hold_by on project_hold (held_by);

-- project_hold_guard('project_id') is a trigger before each row; its argument is the project's column. A transaction
-- gets its number before this check, so waiting for all older transactions after adding a row here covers each that did
-- not see the row. The table is named with its schema, because search_path is the connection's, and setting it here
-- costs more than the check.
do $make$
begin
    execute format($text$
        create function project_hold_guard() returns trigger language plpgsql as $guard$
        declare
            xact constant xid8 := pg_current_xact_id();
        begin
            if exists (select from %1$I.project_hold) and exists (
                select
                from %1$I.project_hold h
                where h.project_id::text in (to_jsonb(new) ->> tg_argv[0], to_jsonb(old) ->> tg_argv[0])
            ) then
                raise exception 'the project is read-only' using errcode = 'RO001';
            end if;
            if tg_op = 'DELETE' then
                return old;
            end if;
            return new;
        end
        $guard$
    $text$, current_schema());
end
$make$;

-- Enables the triggers project_hold_* while any project is read-only, and disables them after that, so that they cost
-- nothing. That locks their tables against writes, so it waits for running ones.
create function project_hold_apply() returns void language plpgsql as $$
declare
    at record;
    wanted boolean;
begin
    lock table project_hold in share row exclusive mode;
    wanted := exists (select from project_hold);
    for at in
        select t.tgname as name, c.relname as guarded
        from pg_trigger t
        join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = current_schema()::regnamespace and t.tgname like 'project\_hold\_%'
            and (t.tgenabled <> 'D') <> wanted
        order by c.relname, t.tgname
    loop
        execute format('alter table %I %s trigger %I', at.guarded, case when wanted then 'enable' else 'disable' end,
                       at.name);
    end loop;
end
$$;
