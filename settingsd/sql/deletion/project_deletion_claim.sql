-- Claims due calls under a lease. A project's last service is called only after all others are
-- done.
-- class: write
-- in: now int8, lease_until int8, last_service text, most int8
-- rows: many
-- row: project uuid, service text
update project_deletion
set try_at = :lease_until
where ctid = any (array(
    select d.ctid
    from project_deletion d
    where d.done_at is null and d.try_at <= :now and (
        d.service <> :last_service or not exists (
            select
            from project_deletion o
            where o.project_id = d.project_id and o.service <> :last_service and o.done_at is null
        )
    )
    order by d.try_at
    limit :most
    for update skip locked
))
returning project_id as project, service
