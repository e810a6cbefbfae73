-- Deletes up to 1,000 budgets of days before a given one.
-- class: write
-- in: before int8
-- rows: none
delete from translation_day
where ctid = any (array(
    select ctid
    from translation_day
    where day < :before
        and
        -- include: not_held(project = translation_day.project_id)
    order by day
    limit 1000
))
