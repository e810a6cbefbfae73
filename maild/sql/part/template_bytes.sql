-- Bytes of the texts of template {from}.
-- args: from
octet_length({from}.subject) + coalesce(octet_length({from}.html), 0) + octet_length({from}.text)
