-- Does the server answer?
-- class: vital
-- rows: one
select
