"""What each word of the command line does: a few lines over the workspace."""
