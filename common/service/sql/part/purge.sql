-- Deletes a page of a deleted project's rows of {table} (common/service/project_purge.h). Locks
-- them in the order of {key}, an index that begins with project_id. purge_found has a row if there
-- were any.
-- args: table, key
-- in: project uuid, most int8
{as}_deleted as (
    delete from {table}
    where ctid = any (array(
        select ctid from {table} where project_id = :project order by {key} limit :most for update
    ))
    returning 1
),
{as}_found as (
    select from {as}_deleted limit 1
)
