-- Bytes of the access policy {from}'s texts.
-- args: from
octet_length({from}.name) + octet_length({from}.resource::text)
    + coalesce(octet_length({from}.ip_access_rule::text), 0)
