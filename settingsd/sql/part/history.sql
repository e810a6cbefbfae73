-- The history of settings: who wrote what. {from} has project_id, version, name, old_value and
-- new_value. An operator writes without membership, profile and display, and a person whose erasure has begun without
-- display.
-- args: from
-- in: at int8, account uuid null, membership uuid null, profile uuid null, display text null
{as}_written as (
    insert into setting_history (
        project_id, version, name, old_value, new_value, changed_at, membership_id, profile_id,
        profile_display
    )
    select
        c.project_id, c.version, c.name, c.old_value, c.new_value, :at, :membership, :profile,
        case when not coalesce((select erasure_begun(:account)), false) then :display end
    from {from} c
)
