assay_fuzz(mad_answers mad_answers.cpp DICTIONARY mad_answers SEEDS tests/mad/fixtures LINKS assay_mad)
