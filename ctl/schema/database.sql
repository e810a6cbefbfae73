-- Prepares the database before the first role is created: revokes what PostgreSQL allows everyone
-- in a new database, and creates the owner of audit logs.
set client_min_messages = warning;
revoke all on database atrium from public;
revoke all on schema public from public;
do $$ begin
    if not exists (select from pg_roles where rolname = 'atrium_audit') then
        create role atrium_audit nologin;
    end if;
end $$;
