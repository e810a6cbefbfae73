-- When the last attempt to deliver a message began, in real time; null: none did since this is kept.
alter table message add column tried_at bigint;
