-- The OpenID client of session s as JSON; null: no grant.
(
    select json_build_object('id', g.client_id, 'name', g.client_name)
    from oauth_grant g
    where g.project_id = s.project_id and g.session_id = s.id
)::text as client
