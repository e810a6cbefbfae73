-- Drops the reference, because each execution took a shared lock on its bot's row, and hundreds of shared locks cost
-- the server more than all other work. An execution that outlives its bot is not shown and expires like all others.

alter table execution drop constraint if exists execution_project_id_bot_id_fkey;
