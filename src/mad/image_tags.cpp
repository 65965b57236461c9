#include "mad/image_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "containers/csv.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/image_finder.h"
#include "study/table_csv.h"
#include "study/tags.h"

namespace assay::mad {
namespace {

/// The selected images. People also see control images, and images that were excluded later;
/// neither count in the ranking.
std::set<std::int64_t> accepted_images(const std::vector<SelectedRow>& rows) {
    std::set<std::int64_t> accepted;
    for (const SelectedRow& row : rows)
        if (row.state == SelectedState::accepted) accepted.insert(row.image);
    return accepted;
}

/// The columns that may name the image, in order. A table of Label Studio has the address of the
/// image in `image`, and its id in `image_id`.
std::vector<std::size_t> image_columns(CsvReader& csv) {
    std::vector<std::size_t> out;
    for (const char* name : {"image_id", "image", "item", "id", "path"})
        if (const auto column = csv.find_column({name})) out.push_back(*column);
    if (out.empty()) csv.column({"image", "image_id", "item", "id", "path"});  // refuses the table
    return out;
}

/// Keeps the tags with the most images, because annotators may type any number of tags.
void keep_most_used(ImagesOfTag& tags, std::vector<std::string>& warnings) {
    constexpr std::size_t most_tags = 50;
    if (tags.size() <= most_tags) return;
    std::vector<ImagesOfTag::iterator> order;
    for (auto at = tags.begin(); at != tags.end(); ++at) order.push_back(at);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a->second.size() > b->second.size();
    });
    warnings.push_back(fmt::format(
        "the answers have {} tags; only the {} with the most images are shown, and {} "
        "omitted; for others, use --tags FILE",
        count_text(tags.size()), most_tags, how_many(tags.size() - most_tags, "is", "are")));
    for (std::size_t t = most_tags; t < order.size(); ++t) tags.erase(order[t]);
}

/// The tags that annotators added to their answers. One annotator is enough.
ImagesOfTag tags_of_answers(const Competition& competition, const std::set<std::int64_t>& selected,
                            std::vector<std::string>& warnings) {
    ImagesOfTag out;
    for (const study::TaggedAnswer& answer :
         study::read_tagged_answers(competition.impl().database, study::StudyKind::competition)) {
        if (!selected.contains(answer.image)) continue;
        for (const std::string& tag : answer.tags) out[tag].insert(answer.image);
    }
    keep_most_used(out, warnings);
    return out;
}

/// Images of each tag. Rows without a tag are skipped, as most answers have none. So are answers
/// in an export that do not count, as in read_tagged_answers().
ImagesOfTag read_tags(const Competition& competition, const std::set<std::int64_t>& selected,
                      const std::filesystem::path& file, std::vector<std::string>& warnings) {
    constexpr std::uint64_t most_bytes = 1ULL << 28;
    const std::string contents = read_text(file, most_bytes);
    CsvReader csv(contents, file.string());
    const std::vector<std::size_t> image = image_columns(csv);
    const std::size_t tag = csv.column({"tag", "mode", "tags"});
    const bool several = csv.find_column({"tag", "mode"}) != tag;
    const auto counts = csv.find_column({"counts"}), blocked = csv.find_column({"blocked"});
    ImageFinder finder(competition);
    ImagesOfTag out;
    std::set<std::string> unknown;
    while (csv.next()) {
        if ((counts && trimmed(csv[*counts]) == "0") || (blocked && trimmed(csv[*blocked]) == "1"))
            continue;
        const std::string text = study::from_spreadsheet(trimmed(csv[tag]));
        if (text.empty()) continue;
        const std::vector<std::string> names =
            several ? study::tags_in(text) : std::vector<std::string>{text};
        const auto named = std::ranges::find_if(
            image, [&](std::size_t column) { return !trimmed(csv[column]).empty(); });
        const std::string of =
            study::from_spreadsheet(trimmed(csv[named == image.end() ? image.front() : *named]));
        const std::vector<std::int64_t> found = finder.find(of);
        if (found.size() > 1)
            refuse(fmt::format("{}: `{}` matches {} images of the data set; use its id",
                               csv.where(), shortened(of), found.size()));
        if (found.empty() || !selected.contains(found.front()))
            unknown.insert(of);
        else
            for (const std::string& name : names) out[name].insert(found.front());
    }
    if (out.empty())
        refuse(fmt::format(
            "{}: no selected image has a tag{}; `assay mad export {} --out FOLDER` "
            "lists the images",
            file.string(),
            unknown.empty()
                ? ""
                : fmt::format(", and `{}` is not selected", shortened(*unknown.begin())),
            shell_word(competition.folder().string())));
    if (!unknown.empty())
        warnings.push_back(fmt::format("{}: {} with a tag {} not selected (first: {})",
                                       file.string(), how_many(unknown.size(), "image", "images"),
                                       unknown.size() == 1 ? "is" : "are",
                                       shortened(*unknown.begin())));
    return out;
}

}  // namespace

ImagesOfTag images_of_tags(const Competition& competition, const std::vector<SelectedRow>& selected,
                           const std::filesystem::path& file, std::vector<std::string>& warnings) {
    const std::set<std::int64_t> accepted = accepted_images(selected);
    return file.empty() ? tags_of_answers(competition, accepted, warnings)
                        : read_tags(competition, accepted, file, warnings);
}

}  // namespace assay::mad
