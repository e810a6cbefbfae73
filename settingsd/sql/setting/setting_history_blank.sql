-- Removes a profile's name from at most `most` rows of a project's settings history, and counts
-- them for the account's erasure, if there is one.
-- class: write
-- in: project uuid, profile uuid, most int8
-- rows: none
with
blanked as (
    update setting_history
    set profile_display = null
    where project_id = :project
        and (version, name) in (
            select version, name
            from setting_history
            where project_id = :project and profile_id = :profile and profile_display is not null
            order by version, name
            limit :most
            for update
        )
    returning 1
),
erased as (
    select 'setting_history' as table_name, count(*) as rows, 0::bigint as bytes from blanked
),
found as (
    select from blanked limit 1
),
-- include: erasure_count as erasure(from = erased c),
-- include: audit(from = found)
select from blanked
