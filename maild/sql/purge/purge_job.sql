-- Removes a page of jobs from a deleted project. A job belongs to an account, which can be a member
-- of other projects.
-- call: purge_page
with
updated as (
    update job
    set project_id = '00000000-0000-0000-0000-000000000000'
    where id = any (array(
        select id
        from job
        where project_id = :purge.project
        order by project_id, id
        limit :purge.most
        for update
    ))
    returning 1
),
found as (
    select from updated limit 1
),
-- include: audit(from = found)
select count(*) as removed from updated
