-- The columns of struct candidate_row, of account a, credential c and membership m.
a.id,
c.password_hash as hash,
a.name,
a.surname,
m.project_id as project,
m.profile_id as profile,
c.changes,
-- include: address_key_of(account = a.id)
as address_key
