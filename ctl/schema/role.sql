-- Creates a daemon's role and schema. pg_read_all_stats shows how long another session has held a
-- lock.
do $$ begin
    if not exists (select from pg_roles where rolname = '@role@') then
        create role "@role@" login;
    end if;
end $$;
alter role "@role@" in database atrium set search_path = @schema@;
grant connect, temporary on database atrium to "@role@";
grant pg_read_all_stats to "@role@";
create schema if not exists @schema@ authorization "@role@";
