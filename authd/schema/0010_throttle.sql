-- A pair's consecutive failures, in any window; a good sign-in resets them. Only for pairs.
alter table throttle add column in_a_row integer not null default 0;
