-- Returns whether the role can remove rows of the audit log.
-- class: read
-- rows: one
-- row: may_delete bool
select coalesce(has_table_privilege(to_regclass('audit'), 'delete'), false) as may_delete
