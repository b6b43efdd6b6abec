"""One database: its tables and triggers, its lock, its copies."""
