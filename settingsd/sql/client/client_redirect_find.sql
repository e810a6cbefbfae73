-- Finds a first-party client of a project by a redirect URI, exactly. No row: there is none.
-- class: read
-- in: project uuid, uri text
-- rows: one
select
from client
where project_id = :project
    and oauth @> jsonb_build_object(
        'firstParty', true, 'redirectUris', jsonb_build_array(:uri::text)
    )
limit 1
