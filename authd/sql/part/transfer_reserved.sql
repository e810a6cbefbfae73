-- True if another account than {account} can undo a change from that address.
-- args: account
(
    select u.id
    from email_undo u
    where u.email = ({account}).email and u.role = ({account}).role
        and u.home_id is not distinct from ({account}).project_id
        and u.account_id <> ({account}).id
    limit 1
) is not null
