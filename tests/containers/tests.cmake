assay_test(npy
    SOURCES containers/npy_test.cpp containers/zip_test.cpp containers/inflated_source_test.cpp
    LINKS assay_containers ZLIB::ZLIB Threads::Threads)
assay_test(csv
    SOURCES containers/csv_test.cpp containers/described_csv_test.cpp
    LINKS assay_containers)
