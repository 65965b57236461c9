// What a data set is called unless told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A folder's name; a list's without its extension. The path need not be there.
std::string dataset_name_of(const std::filesystem::path& path);

/// What each of several is called: its name as above, with as many folders in front ("blur_1",
/// "noise_1") as tell those apart that would have one name. The same path twice has one name.
std::vector<std::string> dataset_names_of(const std::vector<std::filesystem::path>& paths);

/// What the results of one array of an .npz file are called: "mnist-x_test" of `name` "mnist". All
/// other data, and no `image_column`: `name` itself.
std::string name_of_array(const std::string& name, const std::filesystem::path& path,
                          const std::string& image_column);

/// What the results of some of its images are called: "photos-first50"; of a sample
/// "photos-sample50", with another seed than 0 "photos-sample50-seed2".
std::string name_of_first(std::string_view dataset, std::size_t images);
std::string name_of_sample(std::string_view dataset, std::size_t images, std::uint64_t seed);
/// "photos", of all of these.
std::string_view name_of_whole(std::string_view name);

}  // namespace assay
