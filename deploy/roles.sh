#!/bin/sh
# Run once by the image of PostgreSQL, when its data folder is made.
psql -U postgres -v owner_password="$OWNER_PASSWORD" -v app_password="$APP_PASSWORD" \
    -v backup_password="$BACKUP_PASSWORD" -f /deploy/roles.sql
