assay_test(replicate
    SOURCES replication/cells_test.cpp replication/fixture_test.cpp replication/simulation_test.cpp
        replication/mixture_test.cpp replication/mixture_maximum_test.cpp replication/companions_test.cpp replication/selections_test.cpp replication/annotator_ratings_test.cpp replication/adjust_test.cpp
        replication/penalised_likelihood_test.cpp replication/joint_test.cpp replication/plan_test.cpp replication/figures_test.cpp replication/matching_test.cpp replication/hits_store_test.cpp replication/quality_test.cpp replication/steps_test.cpp
    LINKS assay_replication assay_report fmt::fmt nlohmann_json::nlohmann_json
    UNSANITIZED PenalisedLikelihood.TheBootstrapAgreesAndThreadsDoNotMatter Plan.APilotPlansItself Steps.PlanWithAndWithoutHits Steps.AdjustTellsTheSameEverywhere
        Figures.TheJsonHoldsAllOfItForAnyNumberOfThreads Figures.EveryNumberOfAnnotatorsUpToTheStudyItself Figures.FittedReadingsAreThoseOfTheDensities
        CompanionIntervals.HoldTheirOwnExpectation Match.NoBiasIsClaimedWhereThereIsNone Quality.BetaWorld Quality.ThePenalised* Steps.SimulateSaysWhatIsTrue
        CompanionIntervals.ThatSayNothingAreMarked Adjust.TheMixtureBearsUnequalNumbersOfAnnotators)
