-- Removes users from a group.
-- class: tx
-- in: project uuid, id uuid, users uuid[]
-- rows: none
delete from scim_group_member
where project_id = :project and group_id = :id and user_id = any (:users)
