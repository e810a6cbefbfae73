-- Records changes of one kind under one number. Locks the counter until the commit.
-- class: write tx
-- in: kind text, ids uuid[], until int8
-- rows: many
-- row: struct change
with
counted as (
    update change_counter set sequence = sequence + 1 returning sequence
)
insert into change (sequence, kind, id, until)
select c.sequence, :kind, i.id, :until from counted c, unnest(:ids) as i (id)
returning sequence, kind, id
