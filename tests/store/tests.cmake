assay_test(store
    SOURCES store/store_test.cpp store/identity_test.cpp store/kill_test.cpp store/damage_test.cpp store/import_test.cpp store/import_people_test.cpp store/import_json_test.cpp store/import_labels_test.cpp store/import_changed_test.cpp store/import_columns_test.cpp store/import_parquet_test.cpp store/import_one_column_test.cpp store/tools_test.cpp
            store/row_reader_test.cpp store/every_byte_test.cpp store/foreign_test.cpp store/open_shards_test.cpp store/beside_writer_test.cpp store/version2_test.cpp store/versions_test.cpp store/same_data_test.cpp store/relabel_test.cpp
    LINKS assay_store assay_report fmt::fmt Threads::Threads ZLIB::ZLIB
    UNSANITIZED Import.TwoHundredThousandTensors */StoreKill.*)
# This test defines its own flock() function.
assay_test(store_parts
    SOURCES store/parts_test.cpp
    LINKS assay_store assay_report fmt::fmt Threads::Threads
    UNSANITIZED PartsOnDisk.AJoinThatIsKilledLosesNothingAndTheNextOneEndsIt)
# Flips each of the eight bits of every byte. The previous suite flips one bit of each byte, in turn.
assay_test(store_every_bit SLOW
    SOURCES store/every_byte_test.cpp
    LINKS assay_store fmt::fmt)
if(TARGET test_store_every_bit)
    target_compile_definitions(test_store_every_bit PRIVATE ASSAY_EVERY_BIT=1)
endif()
