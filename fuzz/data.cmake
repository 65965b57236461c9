assay_fuzz(labels labels.cpp DICTIONARY labels LINKS assay_data)
