#include "mad/rank_tags.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/competition_rows.h"
#include "mad/image_finder.h"
#include "mad/rank_bootstrap.h"
#include "mad/rank_counts.h"
#include "study/table_csv.h"
#include "study/tags.h"

namespace assay::mad {
namespace {

using ImagesOfTag = std::map<std::string, std::set<std::int64_t>, std::less<>>;

/// The selected images. People also see control images, and images that were excluded later;
/// neither count in the ranking.
std::set<std::int64_t> selected_images(const RankInput& in) {
    std::set<std::int64_t> selected;
    for (const SelectedRow& row : in.selected)
        if (row.state == SelectedState::accepted) selected.insert(row.image);
    return selected;
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
    constexpr std::size_t most_ranked = 50;
    if (tags.size() <= most_ranked) return;
    std::vector<ImagesOfTag::iterator> order;
    for (auto at = tags.begin(); at != tags.end(); ++at) order.push_back(at);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a->second.size() > b->second.size();
    });
    warnings.push_back(fmt::format(
        "the answers have {} tags; only the {} with the most images are shown, and {} "
        "omitted; for others, use --tags FILE",
        count_text(tags.size()), most_ranked, how_many(tags.size() - most_ranked, "is", "are")));
    for (std::size_t t = most_ranked; t < order.size(); ++t) tags.erase(order[t]);
}

/// The tags that annotators added to their answers. One annotator is enough.
ImagesOfTag tags_of_answers(const Competition& competition, const RankInput& in,
                            std::vector<std::string>& warnings) {
    const std::set<std::int64_t> selected = selected_images(in);
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
ImagesOfTag read_tags(const Competition& competition, const RankInput& in,
                      const std::filesystem::path& file, std::vector<std::string>& warnings) {
    constexpr std::uint64_t most_bytes = 1ULL << 28;
    const std::string contents = read_text(file, most_bytes);
    CsvReader csv(contents, file.string());
    const std::vector<std::size_t> image = image_columns(csv);
    const std::size_t tag = csv.column({"tag", "mode", "tags"});
    const bool several = csv.find_column({"tag", "mode"}) != tag;
    const auto counts = csv.find_column({"counts"}), blocked = csv.find_column({"blocked"});
    const std::set<std::int64_t> selected = selected_images(in);
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

/// Places by the rule of the ranking. Nothing if other classifiers can be compared than before.
std::optional<std::vector<double>> places_without(const RankInput& in, const Ranking& out,
                                                  const std::set<std::int64_t>& images,
                                                  const std::vector<std::uint32_t>& component) {
    std::vector<SelectedRow> others;
    for (const SelectedRow& row : in.selected)
        if (!images.contains(row.image)) others.push_back(row);
    const std::size_t m = in.numbers.size();
    const RankOptions options = for_parts_of_images(out.options);
    const std::vector<PairCounts> counts = counts_of_pairs(in.tally, in.pairs, others, in.numbers);
    const HodgeRanking joined =
        hodge_rank(log_ratios(m, counts, options.ratios), images_of_pairs(m, counts));
    if (joined.component != component) return std::nullopt;
    return places_by(out.placed_by, m, counts, options, component);
}

}  // namespace

void add_tags(const Competition& competition, const RankInput& in, const CorrectByImage& correct,
              const std::vector<std::uint32_t>& component, Ranking& out) {
    const ImagesOfTag tags = out.options.tags.empty()
                                 ? tags_of_answers(competition, in, out.warnings)
                                 : read_tags(competition, in, out.options.tags, out.warnings);
    if (tags.empty()) return;
    // By the same rule as without a tag, which does not weigh images by how they were asked.
    const auto whole = places_without(in, out, {}, component);
    for (const auto& [name, images] : tags) {
        const auto without = places_without(in, out, images, component);
        RankedTag tag;
        tag.tag = name;
        std::set<std::int64_t> settled;
        for (std::size_t c = 0; c < correct.size(); ++c) {
            TaggedClassifier one;
            one.classifier = out.classifiers[c].name;
            for (const auto& [image, right] : correct[c]) {
                if (!images.contains(image)) continue;
                ++one.images;
                settled.insert(image);
                one.wrong += right ? 0 : 1;
            }
            if (whole) one.place = (*whole)[c];
            if (without) one.without = (*without)[c];
            tag.classifiers.push_back(std::move(one));
        }
        tag.images = settled.size();
        out.tags.push_back(std::move(tag));
    }
}

Table tag_table(const Ranking& ranking) {
    Table table;
    table.title = "Images by tag, and places without them";
    table.columns = {{.name = "tag", .numbers = false},
                     {.name = "images"},
                     {.name = "classifier", .numbers = false},
                     {.name = "its images"},
                     {.name = "wrong"},
                     {.name = "place"},
                     {.name = "place without"}};
    const auto place = [](const std::optional<double>& value) {
        if (!value) return Cell{};
        return Cell{Number{*value, Unit::number, *value == std::floor(*value) ? 0 : 1}};
    };
    bool apart = false;
    for (const RankedTag& tag : ranking.tags) {
        for (const TaggedClassifier& one : tag.classifiers) {
            apart = apart || !one.without;
            table.add({tag.tag, Count{tag.images}, one.classifier, Count{one.images},
                       Count{one.wrong}, place(one.place), place(one.without)});
        }
    }
    table.notes.emplace_back(
        "Images: settled ones with the tag. Its images: those of its pairs. Both places are by the "
        "same rule, without intervals.");
    if (apart)
        table.notes.emplace_back(
            "No place: without the images of the tag, no chain of pairs joins the same "
            "classifiers.");
    return table;
}

ResultType result_type(ResultOf<TaggedClassifier>) {
    using Of = TaggedClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadTaggedClassifier"},
        {
            part<&Of::classifier>({}),
            part<&Of::images>({.help = "Settled images of its pairs with the tag"}),
            part<&Of::wrong>({.help = "Of these, images with a wrong label"}),
            part<&Of::place>({.help = "Place with all images, by the same rule"}),
            part<&Of::without>(
                {.help =
                     "Place without the images of the tag; null if other classifiers are joined"}),
        });
    return rows;
}

ResultType result_type(ResultOf<RankedTag>) {
    using Of = RankedTag;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadTag", .help = "The images with one tag, and the ranking without them"},
        {
            part<&Of::tag>({}),
            part<&Of::images>({.help = "Different settled images"}),
            part<&Of::classifiers>({}),
        });
    return rows;
}

}  // namespace assay::mad
