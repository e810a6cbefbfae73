-- Audits a refused sign-in, registration, refresh or enrollment that leaves no other trace.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one)
select
