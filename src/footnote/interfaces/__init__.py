"""How the outside talks to the engine: parse, call, present; no logic."""
