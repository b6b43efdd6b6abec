"""A round → its numbers: measures, groups, targets, checks. Nothing here draws or words a page."""
