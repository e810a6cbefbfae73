-- Deletes at most `most` rows of deletions that were completed before the time `before`.
-- class: write
-- in: before int8, most int8
-- rows: none
delete from project_deletion
where ctid = any (array(
    select d.ctid from project_deletion d where d.done_at < :before order by d.done_at limit :most
))
and not exists (select from project where id = project_deletion.project_id)
