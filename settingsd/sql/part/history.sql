-- Rows of settings' history. {from} has project_id, version, name, old_value and new_value.
-- Operators have no membership, profile or display, and people whose erasure has begun no display.
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
