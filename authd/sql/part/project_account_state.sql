-- The state of account a in the project of its membership m: "locked", "deleting" (scheduled) or
-- "active".
case
    when
        -- include: member_locked(account = a, membership = m)
    then 'locked'
    when a.delete_at is not null then 'deleting'
    else 'active'
end
