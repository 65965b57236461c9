assay_fuzz(gap_table gap_table.cpp LINKS assay_evaluate)
