"""Speech on this machine: sound is decoded, pauses are found, Whisper writes down the rest."""
