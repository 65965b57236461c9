assay_fuzz(quality_table quality_table.cpp DICTIONARY csv LINKS assay_quality)
