assay_fuzz(gap_table gap_table.cpp DICTIONARY csv LINKS assay_evaluate)
