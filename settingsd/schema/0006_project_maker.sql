-- The account that created a child project, for the limit per hour. Null: the operator, or created before this column.
alter table project add column created_by uuid;
