// The synthetic data set of the demo, as images on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "demo/world/world.h"

namespace assay::cli {

struct Demo {
    std::filesystem::path dir = "assay-demo";
    std::string size = "small";  ///< small, full
    std::uint64_t seed = 1;
    bool retrain = false;
    int threads = 0;
};

WorldSpec world_of(const Demo& demo);
/// Makes the missing images below demo.dir, with progress on stderr, and prints a summary on
/// stdout.
void make_demo_images(const Demo& demo);

}  // namespace assay::cli
