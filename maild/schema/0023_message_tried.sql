-- Real time of the last attempt; null: none since this column exists.
alter table message add column tried_at bigint;
