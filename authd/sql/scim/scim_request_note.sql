-- Notes a request of a project's directory, and deletes those before the latest 50, in the order of
-- their ids, so that two statements don't wait for each other.
-- class: write
-- in: project uuid, id uuid, now int8, method text, resource text, resource_id uuid null
-- in: status int8 null, detail text null
-- rows: none
with
old as (
    delete from scim_request
    where project_id = :project and id <= (
        select id from scim_request where project_id = :project order by id desc offset 49 limit 1
    )
)
insert into scim_request (
    project_id, id, requested_at, method, resource, resource_id, status, detail
)
values (:project, :id, :now, :method, :resource, :resource_id, :status, :detail)
