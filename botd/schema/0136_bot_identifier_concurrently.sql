-- Makes identifiers unique in a project. Two `bot put` at the same time could create two bots with one identifier,
-- which then found neither. The newest bot keeps it. The others keep their other identifiers, and the log names them.
-- The check runs at the end of a statement, because replacing a bot deletes and inserts its identifiers in any order.
-- If an earlier release adds another duplicate, the index fails, and the next start repeats everything.
alter table bot_identifier drop constraint if exists bot_identifier_key;
drop index concurrently if exists bot_identifier_key;
do $deduplicate$
declare
    lost record; begin perform set_config('enable_seqscan', 'off', true); for lost in
        delete from bot_identifier
        where ctid = any (array(
            select ctid
            from (
                select
                    ctid,
                    row_number() over (partition by project_id, value, system order by bot_id desc) as place
                from bot_identifier
            ) i
            where place > 1
        ))
        returning project_id, bot_id
    loop
        raise warning 'bot % of project % has an identifier that a newer bot has', lost.bot_id, lost.project_id
            using errcode = '01M01'; end loop; end
$deduplicate$;
create unique index concurrently bot_identifier_key on bot_identifier (project_id, value, system);
set local lock_timeout = '200ms'; alter table bot_identifier
    add constraint bot_identifier_key unique using index bot_identifier_key deferrable;
drop index concurrently if exists bot_identifier_value;
