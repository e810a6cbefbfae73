-- Waits until every statement that makes a grant and began before has committed. Those that begin
-- until the transaction ends wait for it, and see then what it has changed: they lock the table
-- before they take their snapshot. It comes last but for the ends of grants.
-- class: tx
-- rows: none
lock table oauth_grant in share mode
