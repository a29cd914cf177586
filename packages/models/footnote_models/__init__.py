"""Files of models, and the OCR engine that runs its own; nothing is loaded by importing this."""
