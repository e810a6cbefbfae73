-- Bytes of the texts of bot {from} that a list contains.
-- args: from
octet_length({from}.name) + coalesce(octet_length({from}.url), 0)
    + coalesce(octet_length({from}.program), 0) + octet_length({from}.identifier::text)
    + octet_length({from}.secret_names::text)
