#include "mad/rank_tags.h"

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/describe_result.h"
#include "mad/competition_rows.h"
#include "mad/image_tags.h"
#include "mad/rank_bootstrap.h"
#include "mad/rank_counts.h"

namespace assay::mad {
namespace {

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
    const ImagesOfTag tags =
        images_of_tags(competition, in.selected, out.options.tags, out.warnings);
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
