-- Returns a batch's result: a row per rejected line, or one without a line. No row: unknown batch.
-- class: tx
-- in: import bytea, first_line int8
-- rows: many
-- row: created int8, line int8 null, existing bool null, why text null
select b.created, r.line, r.existing, r.why
from import_batch b
left join import_refusal r using (import_id, first_line)
where b.import_id = :import and b.first_line = :first_line
order by r.line
