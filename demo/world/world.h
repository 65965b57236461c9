// A small synthetic data set ("world") of drawn images with known truth. The truth has the
// definition of every class, the contents and difficulty of every image, and the answers of a
// simulated crowd. Classifiers are trained and measured on it, so that every measured number can be
// compared with the truth.
//
// Everything follows from one seed: the same spec gives the same bytes, for any number of threads.
//
// A world's folder holds
//   `world.json`, `world.png`       the spec; a gallery of all classes and sets.
//   `classes.txt`                   20 classes, in the order of their ids.
//   `hierarchy.json`                the tree above the classes.
//   `images/<set>/...`              PNG files (world_sets() tells the sets).
//   `truth/<set>.csv`               one row per image; written last, so it marks a finished set.
//   `truth/votes-<set>.csv`         annotator,item,label,answer: "is there an X in it?" (v1, v2,
//                                   multi).
//   `truth/selections-<set>.csv`    annotator,image,label,selected,batch,control: grids of 48 (v1,
//                                   v2).
//   `truth/annotators.csv`, `truth/selectors.csv`
//                                   how lenient, careless or lazy each of the crowd is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/image/image.h"
#include "assay/progress.h"

namespace assay {

enum class WorldSize {
    tiny,   ///< for tests: about 20 to 100 images per set
    small,  ///< train 4,800, v1 and v2 1,600 each, multi 600, unlabelled 2,000, others 380 to 800
    full,  ///< train 24,000, v1 and v2 8,000 each, multi 4,000, unlabelled 100,000, others 1,520 to
           ///< 3,200
};
/// Throws usage with the known names.
WorldSize world_size_named(std::string_view name);
std::string_view name_of(WorldSize);

struct WorldSpec {
    std::filesystem::path folder;
    std::uint64_t seed = 1;
    WorldSize size = WorldSize::small;
    int side = 96;         ///< side of the images in pixels: 32 to 512
    int multi_side = 160;  ///< height of the images with several things; 64 to 1024
};

/// The sets in the order in which they are made: train, v1, v2, multi, cue-conflict, ...
std::vector<std::string> world_sets();
/// The number of images in a set. Throws usage if there is no such set.
std::size_t world_set_size(std::string_view set, WorldSize size);
/// The classes' ids and names are the same: airplane, balloon, bird, ...
ClassList world_classes();
/// The hierarchy {"name": "thing", "children": [{"name": "living thing", "children": [... {"class":
/// "bird"}]}, ...]}: every class is a leaf at level three to five.
nlohmann::json world_hierarchy();

/// Makes the missing parts of the data set. A set with a truth file is not changed, so the same
/// call completes a run that was interrupted at any moment. Progress names the set and counts the
/// images of all sets together. Memory: about 600 bytes for each image of the largest set. Cost:
/// about 1.9 ms per image and thread at 96 pixels. Throws usage if sides are out of range. Throws
/// usage, without changes, if the folder is neither empty nor such a data set, or has one with
/// another spec. Throws io, busy if another process is making the data set, and interrupted
/// (request_stop).
void make_world(const WorldSpec& spec, const ProgressCallback& progress = {}, int threads = 0);

/// A gallery with names, with one column per class and one row per set. It depends only on the
/// seed. No file is read.
Image contact_sheet(const WorldSpec& spec);

}  // namespace assay
