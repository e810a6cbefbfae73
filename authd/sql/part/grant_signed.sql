-- A row if `member` and `parent` (part grant_member) equal the signed tokens' contents, and the
-- settings are those with which the client was read (authd/settings_cache.h).
-- in: membership uuid null, profile uuid null, admin bool, auth_method text null
-- in: second_factor bool, change int8
{as} as (
    select
    from member m, parent p
    where m.id = :membership and m.profile_id = :profile and m.admin = :admin
        and p.auth_method = :auth_method and p.second_factor = :second_factor
        and :change =
            -- include: settings_change
)
