# The tests of this room.
assay_test(world
    SOURCES world/maths_test.cpp world/coverage_test.cpp world/picture_test.cpp world/recipe_test.cpp
        world/crowd_test.cpp world/world_test.cpp
    LINKS assay_world Threads::Threads)
