# The tests of this component.
assay_test(world
    SOURCES demo/maths_test.cpp demo/coverage_test.cpp demo/image_test.cpp demo/recipe_test.cpp
        demo/crowd_test.cpp demo/world_test.cpp
    LINKS assay_world Threads::Threads
    TOGETHER World
    UNSANITIZED World.CompletesAWorldThatWasInterruptedAnywhere World.HasTheSameBytesForAnyNumberOfThreads World.DrawsASetAgainThatWasBegunAgain)
