assay_fuzz(labels labels.cpp DICTIONARY labels LINKS assay_data)
assay_fuzz(parquet parquet.cpp DICTIONARY parquet SEEDS tests/data/fixtures/parquet LINKS assay_data)
assay_fuzz(tar tar.cpp LINKS assay_data)
