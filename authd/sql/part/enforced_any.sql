-- True if an identity provider of any project is enforced.
exists (select from identity_provider where enforced <> '{}')
