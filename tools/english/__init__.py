"""The parts of tools/check-english: where texts are (sources), sentences in them, phrases and exceptions."""
