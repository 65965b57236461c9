assay_test(scaling
    SOURCES scaling/scaling_test.cpp scaling/cases.cpp
    LINKS assay_annotation assay_labelling assay_mad assay_evaluate assay_patchml assay_replication assay_pt2 assay_model assay_store ZLIB::ZLIB)
