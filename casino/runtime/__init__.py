"""What runs Bluecard on a machine without servers: embedded PostgreSQL and one supervisor."""
