"""Who may do what, and what is kept from whoever has the disk."""
