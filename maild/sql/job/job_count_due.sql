-- Counts the jobs that are due by contract time. Always returns a row.
-- class: read
-- in: contract_now int8
-- rows: one
-- row: total int8
select count(*) as total from job where state = 'waiting' and due_at <= :contract_now
