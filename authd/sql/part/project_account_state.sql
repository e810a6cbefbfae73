-- How account a stands in the project of its membership m: "locked", "deleting" when its deletion is
-- scheduled, else "active".
case
    when
        -- include: member_locked(account = a, membership = m)
    then 'locked'
    when a.delete_at is not null then 'deleting'
    else 'active'
end
