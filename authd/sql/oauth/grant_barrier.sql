-- Waits for all statements that create a grant and began earlier. Later ones wait for this
-- transaction and then see its changes, because they lock the table before their snapshot. Only the
-- ends of grants come after this statement.
-- class: tx
-- rows: none
lock table oauth_grant in share mode
