assay_test(mad
    SOURCES mad/competition_test.cpp mad/distance_test.cpp mad/ranking_test.cpp mad/select_test.cpp mad/posterior_test.cpp
        mad/shared_posterior_test.cpp mad/asking_test.cpp mad/selection_round_test.cpp
        mad/gallery_test.cpp mad/gallery_classes_test.cpp mad/gallery_sheet_test.cpp
        mad/tally_test.cpp mad/control_accuracy_test.cpp mad/rank_test.cpp mad/rank_tags_test.cpp mad/status_test.cpp
        mad/questions_test.cpp mad/answers_test.cpp mad/label_studio_test.cpp
    LINKS assay_mad assay_report fmt::fmt nlohmann_json::nlohmann_json
    UNSANITIZED MadPosteriorSimulation.* MadSharedImagesSimulation.* MadAskingSimulation.* MadControlSimulation.* MadRankSimulation.* ControlSampleSimulation.*
        ClassDistances.EveryReadingOfImagenetHasItsChecksum ClassDistances.ReferencePairs ClassDistances.AllNounsOfWordnet)
