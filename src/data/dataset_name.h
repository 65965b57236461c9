// The default name of a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A folder's name, or a list's name without its extension. The path need not exist.
std::string dataset_name_of(const std::filesystem::path& path);

/// The names of several data sets: as above, but equal names get as many parent folders in front
/// ("blur_1", "noise_1") as needed to differ. Equal paths get the same name.
std::vector<std::string> dataset_names_of(const std::vector<std::filesystem::path>& paths);

/// The name for the results of one array in an .npz file: "mnist-x_test" for `name` "mnist". For
/// all other data, and without `image_column`, `name` itself.
std::string name_of_array(const std::string& name, const std::filesystem::path& path,
                          const std::string& image_column);

/// The name for the results of a part of the images: "photos-first50". For a sample
/// "photos-sample50", or "photos-sample50-seed2" with a seed other than 0.
std::string name_of_first(std::string_view dataset, std::size_t images);
std::string name_of_sample(std::string_view dataset, std::size_t images, std::uint64_t seed);
/// Makes the name "photos" for each of these.
std::string_view name_of_whole(std::string_view name);

}  // namespace assay
