assay_fuzz(votes votes.cpp LINKS assay_annotation)
