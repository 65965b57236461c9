assay_test(study
    SOURCES study/columns_test.cpp study/damage_test.cpp study/versions_test.cpp
    UNSANITIZED StudyDamage.Every*
    LINKS assay_study assay_mad assay_labelling fmt::fmt nlohmann_json::nlohmann_json)
