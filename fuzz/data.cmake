assay_fuzz(csv csv.cpp LINKS assay_core)
assay_fuzz(labels labels.cpp LINKS assay_data)
assay_fuzz(decode decode.cpp LINKS assay_data)
