-- Records a batch's result: the number of created accounts, and the rejected lines, a JSON array of
-- {line, existing, why}.
-- class: tx
-- in: import bytea, first_line int8, created int8, refusals text
-- rows: none
with
completed as (
    update import_batch
    set created = :created
    where import_id = :import and first_line = :first_line
    returning import_id, first_line
)
insert into import_refusal (import_id, first_line, line, existing, why)
select c.import_id, c.first_line, r.line, r.existing, r.why
from completed c, json_to_recordset(:refusals::json) r (line bigint, existing boolean, why text)
