-- Returns each daemon's number of erase requests.
-- class: read
-- in: account uuid
-- rows: many
-- row: daemon text, requests int8
select 'docd' as daemon, requests from erasure where account_id = :account
union all
select daemon, requests from erasure_request where account_id = :account
order by daemon
