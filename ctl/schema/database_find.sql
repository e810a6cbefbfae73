-- Whether there is a database of this name.
select from pg_database where datname = 'atrium'
