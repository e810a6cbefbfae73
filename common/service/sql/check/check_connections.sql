-- Returns the server's connections for ordinary roles, those in use, the role's limit (-1: none)
-- and its connections. Counts by database, because only a superuser sees other roles' sessions.
-- class: read
-- rows: one
-- row: server_max int8, server_used int8, role_max int8, role_used int8
select
    current_setting('max_connections')::int8
        - current_setting('superuser_reserved_connections')::int8
        - coalesce(current_setting('reserved_connections', true), '0')::int8 as server_max,
    (select sum(numbackends)::int8 from pg_stat_database) as server_used,
    rolconnlimit::int8 as role_max,
    (select count(*) from pg_stat_activity where usename = current_user) as role_used
from pg_roles
where rolname = current_user
