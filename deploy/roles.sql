-- The three roles and the database, made once by a superuser of the server:
--   psql -v owner_password=… -v app_password=… -v backup_password=… -f deploy/roles.sql
\set ON_ERROR_STOP on
CREATE ROLE bluecard_owner LOGIN PASSWORD :'owner_password';   -- migrates; its password stays with who does
CREATE ROLE bluecard_app LOGIN PASSWORD :'app_password';       -- the running product
CREATE ROLE bluecard_backup LOGIN PASSWORD :'backup_password' IN ROLE pg_read_all_data;
CREATE DATABASE bluecard OWNER bluecard_owner TEMPLATE template0 ENCODING 'UTF8';
