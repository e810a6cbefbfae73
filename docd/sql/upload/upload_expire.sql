-- Deletes forms that expired before a time, `most` at most: how many. One whose file could not be
-- taken over stays until that failed for the first time before `failed_before`.
-- class: write
-- in: before int8, failed_before int8, most int8
-- rows: none
delete from upload
where ctid = any (array(
    select ctid
    from upload
    where expires_at < :before and (failed_at is null or failed_at < :failed_before)
        and
        -- include: not_held(project = upload.project_id)
    order by expires_at
    limit :most
    for update skip locked
))
