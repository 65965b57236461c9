#include "report/competitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/error.h"
#include "assay/mad/gallery.h"
#include "assay/mad/rank.h"
#include "report/thumbnails.h"

namespace assay {

namespace {

/// Takes the first images of the pairs, one from each pair in turn.
std::vector<Thumbnail> thumbnails_of_gallery(const mad::Competition& competition,
                                             const std::vector<mad::GalleryImage>& images,
                                             std::size_t most, const ReportOptions& options,
                                             Said& said) {
    std::vector<const mad::GalleryImage*> order;
    order.reserve(images.size());
    for (const mad::GalleryImage& image : images) order.push_back(&image);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->place < b->place; });
    std::vector<std::uint64_t> rows;
    std::set<std::uint64_t> known;
    for (const mad::GalleryImage* image : order)
        if (rows.size() < most && known.insert(image->item).second) rows.push_back(image->item);
    if (rows.empty()) return {};
    return thumbnails_of(competition.dataset(), competition.folder().string(), rows,
                         options.thumbnail_side, options.threads, said);
}

}  // namespace

CompetitionParts competition_parts(const std::filesystem::path& folder,
                                   const ReportOptions& options, std::size_t thumbnails,
                                   Said& said) {
    CompetitionParts parts;
    const auto add = [&](const Report& report) {
        parts.results.push_back({folder.string(), report.result});
        for (const std::string& text : report.warnings) said.warn(text);
        said.partial = said.partial || report.partial;
    };
    const mad::Competition competition = mad::Competition::open(folder);
    add(report_of(competition));
    add(report_of(mad::status_of(competition)));
    mad::Gallery gallery;
    gallery.shown = mad::gallery_images(competition);
    gallery.images = gallery.shown.size();
    if (!gallery.shown.empty()) add(report_of(gallery));
    parts.thumbnails = thumbnails_of_gallery(competition, gallery.shown, thumbnails, options, said);
    mad::RankOptions how;
    how.threads = options.threads;
    how.posterior.level = options.measure.resampling.level;
    try {
        add(report_of(mad::rank_classifiers(competition, how)));
    } catch (const Error& error) {
        // No image is selected or decided yet.
        if (error.code() != ErrorCode::usage) throw;
        said.leave_out(fmt::format("The classifiers of {} have no ranking: {}.", folder.string(),
                                   error.message()));
        said.partial = true;
    }
    return parts;
}

}  // namespace assay
