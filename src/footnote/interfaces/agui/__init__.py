"""The Agent User Interaction Protocol, spoken by an answer."""
