"""Input is checked: types with limits, the arguments of verbs, and how errors are worded."""
