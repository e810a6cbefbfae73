-- A sign-in, registration, renewal or enrolment that was refused without a trace anywhere else.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one)
select
