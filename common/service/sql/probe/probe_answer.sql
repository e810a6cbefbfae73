-- Checks that the server answers.
-- class: vital
-- rows: one
select
