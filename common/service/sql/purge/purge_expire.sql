-- Forgets at most `most` projects whose deletion began before the time `before`.
-- class: write
-- in: before int8, most int8
-- rows: none
delete from project_purge
where ctid = any (array(
    select ctid from project_purge where began_at < :before order by began_at limit :most
))
