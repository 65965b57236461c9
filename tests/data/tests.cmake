assay_test(sets
    SOURCES data/class_list_test.cpp data/column_words_test.cpp data/class_maps_test.cpp data/dataset_test.cpp data/sample_test.cpp data/items_csv_test.cpp data/item_columns_test.cpp data/label_sets_test.cpp data/label_tables_test.cpp data/hierarchy_test.cpp data/class_tree_test.cpp data/soft_labels_test.cpp
        data/reference_test.cpp
    LINKS assay_data)
assay_test(layouts
    SOURCES data/layouts_test.cpp data/mat_layouts_test.cpp
    LINKS assay_data ZLIB::ZLIB)
assay_test(tars
    SOURCES data/tar_test.cpp data/zip_images_test.cpp
    LINKS assay_data ZLIB::ZLIB)
assay_test(arrays
    SOURCES data/arrays_test.cpp data/hdf5_test.cpp data/hdf5_damage_test.cpp data/saved_test.cpp
    LINKS assay_data ZLIB::ZLIB)
assay_test(remote
    SOURCES data/remote_test.cpp
    LINKS assay_data Threads::Threads ZLIB::ZLIB)
assay_test(parquet
    SOURCES data/parquet_files_test.cpp data/parquet_tools_test.cpp data/parquet_layouts_test.cpp data/parquet_test.cpp data/parquet_names_test.cpp
    LINKS assay_data PkgConfig::snappy PkgConfig::zstd ZLIB::ZLIB)
