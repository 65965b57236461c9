assay_fuzz(labels labels.cpp LINKS assay_data)
