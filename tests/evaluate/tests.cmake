assay_test(predict
    SOURCES evaluate/predict_test.cpp evaluate/predict_stopped_test.cpp evaluate/failing_images_test.cpp evaluate/predict_parquet_test.cpp evaluate/predict_arrays_test.cpp evaluate/predict_corrupted_test.cpp evaluate/attack_test.cpp evaluate/attack_transfer_test.cpp evaluate/attack_control_test.cpp evaluate/attack_images_test.cpp evaluate/smallest_change_test.cpp evaluate/image_identity_test.cpp evaluate/recorded_images_test.cpp evaluate/reports_test.cpp
    LINKS assay_evaluate assay_report fmt::fmt Threads::Threads ZLIB::ZLIB)
assay_test(certify
    SOURCES evaluate/certify_test.cpp
    LINKS assay_evaluate fmt::fmt Threads::Threads)
assay_test(score
    SOURCES evaluate/score_test.cpp evaluate/compare_test.cpp evaluate/multilabel_score_test.cpp evaluate/runs_test.cpp
        evaluate/metric_table_test.cpp evaluate/ranks_test.cpp evaluate/column_metrics_test.cpp evaluate/log_odds_test.cpp evaluate/ood_test.cpp
        evaluate/shape_bias_test.cpp evaluate/masked_scores_test.cpp evaluate/memory_score_test.cpp evaluate/people_test.cpp evaluate/published_test.cpp evaluate/binary_score_test.cpp evaluate/given_truth_test.cpp
        evaluate/multilabel_heads_test.cpp
    LINKS assay_evaluate assay_report fmt::fmt Threads::Threads
    UNSANITIZED Score.IntervalsCoverTheTruth)
assay_test(group_accuracy
    SOURCES evaluate/group_accuracy_test.cpp evaluate/compare_groups_test.cpp
        evaluate/gap_groups_test.cpp evaluate/weights_test.cpp
    LINKS assay_evaluate assay_report fmt::fmt Threads::Threads
    UNSANITIZED GroupHits.HoldsTheLowestTruthWhereItsOwnIntervalDoesNot)
assay_test(metric_kind
    SOURCES evaluate/metric_kind_test.cpp
    LINKS assay_evaluate fmt::fmt Threads::Threads
    UNSANITIZED KindsOfMetrics.AFunctionOfRowsIsTheSameForThreadsAndRanks)
assay_test_without_simd(score Multilabel.*:LogOdds.*:ColumnMetrics.*)
assay_test(by_votes
    SOURCES evaluate/by_votes_test.cpp
    LINKS assay_evaluate fmt::fmt Threads::Threads)
assay_test(export
    SOURCES evaluate/export_test.cpp evaluate/export_columns_test.cpp evaluate/until_test.cpp
    LINKS assay_evaluate fmt::fmt Threads::Threads
    UNSANITIZED ExportColumns.PiecesAreBounded)
assay_test(check
    SOURCES evaluate/check_test.cpp evaluate/check_simulation_test.cpp
    LINKS assay_evaluate fmt::fmt Threads::Threads
    UNSANITIZED CheckSimulation.*)
assay_test(inspect
    SOURCES evaluate/inspect_test.cpp evaluate/unusual_images_test.cpp evaluate/class_orders_test.cpp
    LINKS assay_evaluate assay_report fmt::fmt Threads::Threads)
assay_test(eval
    SOURCES evaluate/eval_test.cpp evaluate/eval_measure_test.cpp evaluate/model_trial_test.cpp evaluate/label_signs_test.cpp
    LINKS assay_evaluate fmt::fmt Threads::Threads
    TOGETHER EvalSearch)
assay_test(dataset_gap
    SOURCES evaluate/gap_stores_test.cpp
    LINKS assay_evaluate fmt::fmt Threads::Threads)
assay_test(gap
    SOURCES evaluate/ordering_test.cpp evaluate/gap_statistics_test.cpp evaluate/gap_report_test.cpp evaluate/gap_coverage_test.cpp
        evaluate/gap_table_test.cpp evaluate/statements_test.cpp
    LINKS assay_evaluate assay_report fmt::fmt
    UNSANITIZED GapCoverage.*)
