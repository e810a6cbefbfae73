-- Returns whether the role bypasses all rights, and which schemas of other daemons it can use,
-- create in or become the owner of.
-- class: read
-- rows: one
-- row: role text, is_powerful bool, others text
select
    rolname::text as role,
    rolsuper or rolcreaterole as is_powerful,
    array_to_string(array(
        select n.nspname::text
        from pg_namespace n
        where n.nspname <> current_schema()
            and exists (
                select from pg_class c where c.relnamespace = n.oid and c.relname = 'schema_migration'
            )
            and (
                has_schema_privilege(n.oid, 'usage')
                or has_schema_privilege(n.oid, 'create')
                or pg_has_role(n.nspowner, 'member')
            )
        order by 1
    ), ', ') as others
from pg_roles
where rolname = current_user
