-- Counts messages in a state other than 'sent'. Always returns a row.
-- class: read
-- in: state text
-- rows: one
-- row: total int8
select count(*) as total from message where state = :state and state <> 'sent'
