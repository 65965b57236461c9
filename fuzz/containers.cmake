assay_fuzz(csv csv.cpp DICTIONARY csv LINKS assay_containers)
assay_fuzz(mat mat.cpp SEEDS tests/data/fixtures/mat LINKS assay_containers)
assay_fuzz(npy npy.cpp DICTIONARY npy SEEDS tests/containers/fixtures LINKS assay_containers)
assay_fuzz(zip zip.cpp DICTIONARY zip SEEDS tests/containers/fixtures LINKS assay_containers)
