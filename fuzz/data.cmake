assay_fuzz(labels labels.cpp DICTIONARY labels LINKS assay_data)
assay_fuzz(parquet parquet.cpp DICTIONARY parquet SEEDS tests/data/fixtures/parquet LINKS assay_data)
assay_fuzz(tar tar.cpp LINKS assay_data)
assay_fuzz(zip_images zip_images.cpp DICTIONARY zip SEEDS fuzz/corpus/zip LINKS assay_data)
