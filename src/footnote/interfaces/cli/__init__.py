"""The command line over the engine."""
