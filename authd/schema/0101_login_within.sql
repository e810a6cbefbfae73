-- A login by passkey opens only this project and those below it; null: all.
alter table login add column within_id uuid;
