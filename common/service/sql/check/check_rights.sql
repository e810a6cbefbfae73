-- Is the role one that no rights hold back, and which schemas of other daemons may it use, create in
-- or take the owner's place in?
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
