-- The size in bytes of the texts of access policy {from}.
-- args: from
octet_length({from}.name) + octet_length({from}.resource::text)
    + coalesce(octet_length({from}.ip_access_rule::text), 0)
