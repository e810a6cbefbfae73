-- Returns a row if the database exists.
select from pg_database where datname = 'atrium'
