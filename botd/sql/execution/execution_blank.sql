-- Removes a profile from the executions that it requested in a project, up to `most` rows. Returns
-- how many, and counts them for the account's erasure unless that is absent.
-- class: write
-- in: project uuid, profile uuid, most int8
-- rows: none
with
blanked as (
    update execution
    set profile = null
    where project_id = :project
        and id in (
            select id
            from execution
            where project_id = :project
                and profile = any (array['Patient/' || :profile, 'Practitioner/' || :profile])
            order by id
            limit :most
            for update
        )
    returning 1
),
erased as (
    select 'execution' as table_name, count(*) as rows, 0::bigint as bytes from blanked
),
found as (
    select from blanked limit 1
),
-- include: erasure_count as erasure(from = erased c),
-- include: audit(from = found)
select from blanked
