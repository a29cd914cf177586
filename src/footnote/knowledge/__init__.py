"""What follows from documents together: how they lie to each other, and what areas are about."""
