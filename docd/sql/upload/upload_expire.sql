-- Deletes expired forms, up to `most`. Returns how many. A form whose file could not be adopted
-- stays unless its first failure was before `failed_before`.
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
