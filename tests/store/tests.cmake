assay_test(store
    SOURCES store/store_test.cpp store/identity_test.cpp store/kill_test.cpp store/damage_test.cpp store/import_test.cpp store/import_people_test.cpp
            store/row_reader_test.cpp
    LINKS assay_store fmt::fmt Threads::Threads)
