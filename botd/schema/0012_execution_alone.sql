-- Each execution of a bot locked the bot's row against its removal, and hundreds that share a lock are more work for
-- the server than all the rest. An execution that outlives its bot by a moment is shown to nobody and is forgotten with
-- all others of its age.

alter table execution drop constraint if exists execution_project_id_bot_id_fkey;
