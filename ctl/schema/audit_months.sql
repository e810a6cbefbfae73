-- Lists the months of audit logs before $1 ("audit_2026_01"): schema and table.
select n.nspname, c.relname
from pg_inherits i
join pg_class c on c.oid = i.inhrelid
join pg_class p on p.oid = i.inhparent and p.relname = 'audit'
join pg_namespace n on n.oid = c.relnamespace
where p.relowner = 'atrium_audit'::regrole
    and n.nspname ~ '^[a-z]+$' and c.relname ~ '^audit_[0-9]{4}_[0-9]{2}$'
    and c.relname < $1
order by 1, 2
