-- Bytes of the texts of translation {from}, as content_usage counts them.
-- args: from
content_bytes({from}.title, {from}.sections, {from}.author, {from}.code)
