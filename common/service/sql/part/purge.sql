-- Deletes a page of the rows of {table} that a deleted project has (common/service/project_purge.h). They
-- are locked in the order of {key}, which begins with project_id and is that of an index.
-- purge_found has a row if there were any.
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
