-- Failures of a pair in a row, whatever their window: a good sign-in ends the row. Counted in the rows of pairs only.
alter table throttle add column in_a_row integer not null default 0;
