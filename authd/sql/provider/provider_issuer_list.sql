-- Returns the issuers of active providers, with how many these are and the name of one.
-- class: read
-- rows: many
-- row: issuer text, name text, count int8
select issuer, min(name) as name, count(*) as count
from identity_provider
where state = 'active'
group by issuer
order by issuer
limit 100
