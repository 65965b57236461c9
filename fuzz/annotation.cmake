assay_fuzz(votes votes.cpp DICTIONARY votes SEEDS tests/containers/fixtures LINKS assay_annotation)
