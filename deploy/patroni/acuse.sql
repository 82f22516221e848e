-- Once, as a superuser, on the leader: psql -v password=... -f acuse.sql
-- The service makes its own roles when it migrates, for which it needs createrole.
create role acuse login createrole password :'password';
create database acuse owner acuse encoding 'UTF8' template template0;
