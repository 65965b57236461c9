"""The parts of tools/check-english: the places of texts (sources), their sentences, phrases and exceptions."""
