#include "quality/cues.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "core/text.h"
#include "quality/ratios.h"

namespace assay::quality {
namespace {

std::uint64_t clusters_in(std::span<const std::uint32_t> cluster) {
    std::vector<std::uint32_t> all(cluster.begin(), cluster.end());
    std::sort(all.begin(), all.end());
    return static_cast<std::uint64_t>(std::unique(all.begin(), all.end()) - all.begin());
}

/// The folder: "cat/" for "cat/0001.png"; "" without a folder.
std::string_view folder_of(std::string_view id) {
    return id.substr(0, id.size() - base_name(id).size());
}

}  // namespace

CueImages cue_images_of(std::string_view path) {
    const std::string_view stem = without_extension(base_name(path));
    const std::size_t parting = stem.rfind('-');
    if (parting == std::string_view::npos || parting == 0 || parting + 1 == stem.size()) return {};
    return {stem.substr(0, parting), stem.substr(parting + 1)};
}

std::string_view without_digits(std::string_view cue) {
    return cue.substr(0, cue.find_last_not_of("0123456789") + 1);
}

std::string foreground_of(std::string_view id, bool with_folder) {
    std::string_view name = without_extension(base_name(id));
    if (name.starts_with("fg_")) name.remove_prefix(3);
    name = name.substr(0, name.find("_bg_"));
    std::string out(with_folder ? folder_of(id) : std::string_view());
    return out.append(name);
}

bool foregrounds_need_folders(const StringColumn& ids) {
    Numbering names, folders;
    std::vector<std::uint32_t> first;  // the first folder of each name
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::uint32_t name = names.of(foreground_of(ids[i], false));
        const std::uint32_t folder = folders.of(folder_of(ids[i]));
        if (name == first.size()) first.push_back(folder);
        if (first[name] != folder) return true;
    }
    return false;
}

double cluster_variance(std::span<const std::uint32_t> cluster, std::span<const double> influence) {
    std::unordered_map<std::uint32_t, std::size_t> place;
    std::vector<double> sums;  // in the order of the items: the bits are the same for any order of
                               // a map
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        const auto [at, fresh] = place.emplace(cluster[i], sums.size());
        if (fresh) sums.push_back(0);
        sums[at->second] += influence[i];
    }
    if (sums.size() < 2) return 0;
    double squares = 0;
    for (const double sum : sums) squares += sum * sum;
    const auto count = static_cast<double>(sums.size());
    return squares * count / (count - 1);
}

ShapeBias shape_bias_of(std::span<const CueDecision> decisions, double level) {
    ShapeBias out;
    out.decisions = decisions.size();
    for (const CueDecision& d : decisions) {
        out.shape += d.shape ? 1 : 0;
        out.texture += d.texture ? 1 : 0;
    }
    const std::uint64_t either = out.shape + out.texture;
    out.wilson = wilson_proportion(
        out.shape, either, level,
        decisions.empty() ? "no image has a shape and a texture of two classes"
                          : "no prediction names the class of the shape or of the texture");
    out.value = out.wilson;
    if (either == 0) return out;
    const double bias = *out.value.value;
    std::vector<std::uint32_t> by_shape, by_texture, by_image;
    std::vector<double> counted;
    for (const CueDecision& d : decisions) {
        const double influence =
            d.shape == d.texture ? 0 : ((d.shape ? 1 : 0) - bias) / static_cast<double>(either);
        out.influence.push_back(influence);
        if (d.shape == d.texture) continue;
        counted.push_back(influence);
        by_shape.push_back(d.shape_image);
        by_texture.push_back(d.texture_image);
        by_image.push_back(d.image);
    }
    if (out.shape == 0 || out.texture == 0) {
        out.variance = std::pow(zero_hits_bound(clusters_in(by_image), level) / 2, 2);
        out.value.standard_error = std::sqrt(out.variance);
        return out;
    }
    const double of_images = cluster_variance(by_image, counted);
    out.variance = std::max(of_images, cluster_variance(by_shape, counted) +
                                           cluster_variance(by_texture, counted) - of_images);
    out.value.standard_error = std::sqrt(out.variance);
    const std::uint64_t fewer = std::min(clusters_in(by_shape), clusters_in(by_texture));
    if (fewer < 2) {
        out.value.note = "one shape image or one texture image: its own error is unknown";
        return out;
    }
    const double t = student_t_quantile(.5 + level / 2, static_cast<double>(fewer - 1));
    out.value.interval = wilson_of_variance(bias, out.variance, t, level, "clusters.two_way");
    return out;
}

}  // namespace assay::quality
