-- Who made a child project: an account makes a limited number of them in an hour. Null: the operator, or made before this.
alter table project add column created_by uuid;
