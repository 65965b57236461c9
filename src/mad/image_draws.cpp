#include "mad/image_draws.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "mad/asking.h"
#include "mad/exclusions.h"
#include "study/study_file.h"

namespace assay::mad {
namespace {

constexpr std::int64_t version_with_draws = 3;
constexpr double units_of_probability = 9007199254740992.0;  ///< 2^53: integers up to it are exact

struct Stratum {
    std::set<std::int64_t> images;
    std::vector<std::pair<std::int64_t, std::int64_t>> drawn;  ///< number (or -1) and image
    bool by_chance = true;
};

}  // namespace

ImageDraws read_draws(const Competition& competition) {
    ImageDraws draws;
    const Database& database = competition.impl().database;
    if (study::version_of_study(database, study::StudyKind::competition) < version_with_draws)
        return draws;
    for (Statement row =
             database.prepare("SELECT number, draw_stratum, draw, draw_probability FROM "
                              "image WHERE draw_stratum IS NOT NULL");
         row.step();) {
        ImageDraw& one = draws[row.integer(0)];
        one.stratum = row.integer(1);
        if (!row.is_null(2)) one.number = row.integer(2);
        if (!row.is_null(3))
            one.probability = static_cast<double>(row.integer(3)) / units_of_probability;
    }
    return draws;
}

void write_draws(Database& database, const ImageDraws& draws) {
    Statement update = database.prepare(
        "UPDATE image SET draw_stratum = ?, draw = ?, draw_probability = ? WHERE number = ?");
    for (const auto& [image, one] : draws) {
        std::optional<std::int64_t> units;
        if (one.probability)
            units = std::max<std::int64_t>(
                1, static_cast<std::int64_t>(std::round(*one.probability * units_of_probability)));
        update.bind(one.stratum).bind(one.number).bind(units).bind(image).run();
    }
}

std::map<std::int64_t, double> image_weights(const Competition& competition,
                                             const std::vector<SelectedRow>& selected,
                                             const ImageDraws& draws) {
    std::map<std::int64_t, double> weights;
    if (draws.empty()) return weights;
    const std::map<std::uint64_t, std::string> excluded = read_exclusions(competition);
    std::set<std::int64_t> asked, accepted, there;
    for (const SelectedRow& row : selected) {
        there.insert(row.image);
        if (row.state != SelectedState::accepted) continue;
        accepted.insert(row.image);
        if (row.asked) asked.insert(row.image);
    }
    std::map<std::int64_t, Stratum> strata;
    const auto count = [&](std::int64_t image) {
        if (image >= 0 && excluded.contains(static_cast<std::uint64_t>(image))) return;
        const auto found = draws.find(image);
        Stratum& stratum = strata[found == draws.end() ? -1 : found->second.stratum];
        if (!stratum.images.insert(image).second) return;
        const bool is_drawn = found != draws.end() && found->second.number.has_value();
        if (!is_drawn && !asked.contains(image)) return;
        stratum.drawn.emplace_back(is_drawn ? *found->second.number : -1, image);
        if (is_drawn && !found->second.probability) stratum.by_chance = false;
    };
    for (const std::int64_t image : accepted) count(image);
    // A drawn image that nobody can judge was replaced, and keeps its number. Images that only
    // removed classifiers needed are dropped.
    for (const auto& [image, draw] : draws)
        if (draw.number && there.contains(image)) count(image);
    for (auto& [number, stratum] : strata) {
        std::sort(stratum.drawn.begin(), stratum.drawn.end());
        const std::uint64_t all = stratum.images.size();
        std::vector<double> probabilities;
        for (std::size_t t = 0; t < stratum.drawn.size(); ++t) {
            const bool is_drawn = stratum.drawn[t].first >= 0;
            const double uniform = 1 / static_cast<double>(all - t);
            const std::optional<double> own =
                is_drawn ? draws.at(stratum.drawn[t].second).probability : std::nullopt;
            probabilities.push_back(own.value_or(uniform));
        }
        const std::vector<double> found = inclusion_weights(all, probabilities);
        for (std::size_t t = 0; t < found.size(); ++t)
            weights[stratum.drawn[t].second] = stratum.by_chance ? found[t] : 1;
    }
    return weights;
}

}  // namespace assay::mad
