// A folder of photographs of frost.
#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/robustness/corruption.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

/// All photographs are kept decoded in memory. The published set has 5.
constexpr std::size_t most_photographs = 100;

}  // namespace

FrostPhotographs read_frost_photographs(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    if (!is_folder(folder)) {
        refuse(fmt::format("{} is not a folder: photographs of frost are read from a folder",
                           folder.string()));
    }
    std::vector<std::string> names;
    std::error_code problem;
    for (fs::directory_iterator it(folder, problem), end; !problem && it != end;
         it.increment(problem)) {
        const std::string name = it->path().filename().string();
        if (has_image_extension(name)) names.push_back(name);
    }
    if (problem) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot read {}: {}", folder.string(), problem.message()));
    }
    std::sort(names.begin(), names.end());
    const std::vector<std::string> published = {"frost1.png", "frost2.png", "frost3.png",
                                                "frost4.jpg", "frost5.jpg", "frost6.jpg"};
    if (names == published) names.pop_back();
    if (names.empty()) {
        refuse(fmt::format(
            "no image (.jpg, .png, .webp, .bmp, .tif, .gif, .ppm) is in {}: frost needs "
            "photographs",
            folder.string()));
    }
    if (names.size() > most_photographs) {
        refuse(fmt::format("{} has {} images; the limit is {} photographs of frost",
                           folder.string(), names.size(), most_photographs));
    }
    FrostPhotographs photographs;
    Hasher hasher;
    for (const std::string& name : names) {
        const auto bytes = read_file(folder / name);
        hasher.add_field(name);
        hasher.add(bytes);
        photographs.images.push_back(
            with_note("reading " + (folder / name).string(), [&] { return decode_image(bytes); }));
    }
    photographs.fingerprint = hasher.digest();
    return photographs;
}

}  // namespace assay
