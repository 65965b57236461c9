assay_fuzz(csv csv.cpp LINKS assay_core)
assay_fuzz(npy npy.cpp LINKS assay_core)
assay_fuzz(zip zip.cpp LINKS assay_core)
