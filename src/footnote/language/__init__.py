"""Exact knowledge of languages: scripts, calendars, numbers, dates, sentences, function words."""
