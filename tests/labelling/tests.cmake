assay_test(labelling
    SOURCES labelling/definitions_test.cpp labelling/folder_test.cpp labelling/folder_answers_test.cpp
        labelling/question_csv_test.cpp labelling/screens_test.cpp
        labelling/service_test.cpp labelling/service_folder_test.cpp
    LINKS assay_labelling assay_mad assay_annotation assay_replication fmt::fmt nlohmann_json::nlohmann_json)
