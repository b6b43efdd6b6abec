"""What can be asked: services, models on this machine, and any function."""
