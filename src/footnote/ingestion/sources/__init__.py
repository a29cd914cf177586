"""What follows from a listing of a source; pure, whatever the source is."""
