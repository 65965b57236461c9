assay_fuzz(votes votes.cpp DICTIONARY votes SEEDS tests/core/fixtures LINKS assay_annotation)
