-- True if the address of account a is from {from} on and before {end}, and the account follows
-- {email} and {id} (null: from the start) in the order of the indexes account_by_email and
-- account_locked. Only one lower bound, see project_account_walk_search.
-- args: email, id, from, end
(a.email collate "C", a.id) > (
    greatest({email} collate "C", {from} collate "C"),
    coalesce({id}, '00000000-0000-0000-0000-000000000000')
)
and a.email collate "C" < {end}
