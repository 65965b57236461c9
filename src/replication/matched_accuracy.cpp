// Measures accuracies on chosen images.
#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/matching.h"
#include "core/statistics.h"

namespace assay::replication {

std::vector<MatchedAccuracy> matched_accuracies(const MatchResult& result,
                                                const Readings& candidates, const Hits& hits) {
    const ImagePlaces places = find_images(candidates, hits.images, hits.source);
    std::vector<MatchedAccuracy> out;
    for (const std::string& name : hits.classifiers) out.push_back({name, 0, {}});
    for (const Matched& m : result.images) {
        const std::uint32_t place = places.place[m.candidate];
        if (place == ImagePlaces::nowhere) continue;
        for (std::size_t c = 0; c < out.size(); ++c) {
            const std::uint8_t hit = hits.hit[std::size_t{place} * out.size() + c];
            if (hit == Hits::unknown) continue;
            out[c].hits += hit;
            ++out[c].accuracy.n;
        }
    }
    bool any = false;
    for (MatchedAccuracy& a : out) {
        a.accuracy.unit = Unit::proportion;
        const std::uint64_t images = a.accuracy.n;
        if (images == 0) {
            a.accuracy.undefined = "no hit on a chosen image is known";
            continue;
        }
        any = true;
        a.accuracy.value = static_cast<double>(a.hits) / static_cast<double>(images);
        a.accuracy.interval = wilson(a.hits, images);
    }
    if (!any)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} has hits of none of the chosen images", hits.source));
    return out;
}

}  // namespace assay::replication
