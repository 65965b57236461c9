assay_test(quality
    SOURCES quality/table_test.cpp quality/table_json_test.cpp quality/joint_test.cpp quality/merge_test.cpp quality/quba_test.cpp quality/groups_test.cpp quality/choose_test.cpp quality/columns_test.cpp quality/ranking_test.cpp
    LINKS assay_quality assay_report fmt::fmt nlohmann_json::nlohmann_json
    UNSANITIZED Correlations.PublishedTable10 Correlations.IntervalsHoldTheTruth)
assay_test(quality_coverage SLOW
    SOURCES quality/joint_coverage_test.cpp
    LINKS assay_quality fmt::fmt nlohmann_json::nlohmann_json)
assay_test(quality_run
    SOURCES quality/run_test.cpp
    LINKS assay_quality fmt::fmt nlohmann_json::nlohmann_json
    UNSANITIZED SamplesOfVal.AreMeasuredEachByItself QualityRuns.StoppedAnywhereItEndsWithTheSameBytes QualityRuns.ThePlanSaysWhatIsLeftAndWritesNothing)
assay_test(quality_measure
    SOURCES quality/measure_test.cpp quality/role_test.cpp quality/cues_test.cpp
    LINKS assay_quality assay_report fmt::fmt nlohmann_json::nlohmann_json
    TOGETHER MeasuredQualityOf
    UNSANITIZED MeasuredCorruptions.AllVersionsOfTheSameImages MeasuredQualityOf.SameBitsForAnyThreadsAndRanks)
assay_test(quality_measure_coverage SLOW
    SOURCES quality/measure_coverage_test.cpp
    LINKS assay_quality fmt::fmt)
