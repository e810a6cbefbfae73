-- A login that was begun by a passkey leads only to this project and those below it; null: to all.
alter table login add column within_id uuid;
