#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "annotation/item_finder.h"
#include "assay/annotation/aggregate.h"
#include "assay/describe_result.h"
#include "assay/error.h"
#include "containers/described_csv.h"
#include "core/text.h"
#include "data/label_texts.h"

namespace assay {
namespace {

constexpr std::uint64_t most_class_number = 999'999;
constexpr std::size_t imagenet_val_images = 50'000;

/// JSON can only hold UTF-8, and an altered id would not match its image.
std::string json_id(std::string_view kind, std::string_view id) {
    try {
        return nlohmann::json(std::string(id)).dump();
    } catch (const nlohmann::json::type_error&) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} `{}` is not UTF-8, which JSON requires; write a csv instead",
                                kind, shortened(id)));
    }
}

/// 1 for an address or path if the votes also contain its end, and no other image has that end.
/// ItemFinder finds the image by the end.
std::vector<char> longer_names(const StringColumn& names) {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < names.size(); ++i) numbers.emplace(names[i], i);
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> shorter(names.size(), none), longer(names.size(), 0);
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        for_each_end(names[i], [&](std::string_view end) {
            const auto found = numbers.find(end);
            if (found == numbers.end()) return false;
            shorter[i] = found->second;
            ++longer[found->second];
            return true;
        });
    }
    std::vector<char> out(names.size(), 0);
    for (std::uint32_t i = 0; i < names.size(); ++i)
        out[i] = shorter[i] != none && longer[shorter[i]] == 1 ? 1 : 0;
    return out;
}

}  // namespace

VoteMeanings meanings_among(const Dataset& dataset, const ClassList& classes, const Votes& texts) {
    VoteMeanings out;
    const ItemFinder finder(dataset);
    for (std::size_t i = 0; i < texts.items.size(); ++i)
        out.items.push_back(finder.find(texts.items[i]).item);
    for (std::size_t l = 0; l < texts.labels.size(); ++l)
        out.labels.push_back(classes.find(texts.labels[l]).value_or(-1));
    return out;
}

BuiltLabelSets build_label_sets(const Votes& votes, std::span<const double> yes,
                                const KeepRule& rule, const Dataset& dataset,
                                const ClassList& classes, const LabelSets* original) {
    if (yes.size() != votes.questions() ||
        (original != nullptr && original->size() != dataset.size())) {
        throw Error(ErrorCode::internal,
                    "the posteriors or original labels belong to different questions or items");
    }
    BuiltLabelSets out;
    const ItemFinder finder(dataset);
    std::vector<std::int64_t> item_of(votes.items.size());
    std::vector<char> several(votes.items.size(), 0);
    for (std::size_t i = 0; i < item_of.size(); ++i) {
        const auto found = finder.find(votes.items[i]);
        item_of[i] = found.item;
        several[i] = found.several;
    }
    std::vector<std::int32_t> class_of(votes.labels.size());
    for (std::size_t l = 0; l < class_of.size(); ++l)
        class_of[l] = classes.find(votes.labels[l]).value_or(-1);

    std::vector<std::uint32_t> order;  // questions with a known item, sorted by item
    out.annotated.assign(dataset.size(), 0);
    for (std::uint32_t q = 0; q < votes.questions(); ++q) {
        const std::uint32_t i = votes.question_item[q], l = votes.question_label[q];
        out.item_of_question.push_back(item_of[i]);
        out.class_of_question.push_back(class_of[l]);
        if (item_of[i] < 0) {
            out.problems.add(several[i] ? "image name that several items share"
                                        : "image that is not in the data set",
                             [&] {
                                 return fmt::format("`{}`, asked about label `{}`",
                                                    shortened(votes.items[i]),
                                                    shortened(votes.labels[l]));
                             });
            continue;
        }
        // An annotated image counts as annotated even if its only label is unknown, so that its
        // original label is not used.
        if (!votes.of(q).empty()) out.annotated[static_cast<std::size_t>(item_of[i])] = 1;
        if (class_of[l] < 0) {
            out.problems.add("label that is not a class", [&] {
                return fmt::format(
                    "label `{}` of `{}`: the {} classes are {} .. {}{}", shortened(votes.labels[l]),
                    shortened(votes.items[i]), classes.size(), classes.empty() ? "" : classes.id(0),
                    classes.empty() ? "" : classes.id(classes.size() - 1),
                    classes.empty() ? "" : suggest(shortened(votes.labels[l]), classes.ids()));
            });
            continue;
        }
        if (!votes.of(q).empty() && rule.keeps(q, yes[q])) order.push_back(q);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return out.item_of_question[a] < out.item_of_question[b];
    });
    std::vector<std::int32_t> set;
    auto next = order.begin();
    for (std::size_t item = 0; item < dataset.size(); ++item) {
        set.clear();
        for (;
             next != order.end() && out.item_of_question[*next] == static_cast<std::int64_t>(item);
             ++next)
            set.push_back(out.class_of_question[*next]);
        if (out.annotated[item] != 0) {
            out.emptied += set.empty() ? 1 : 0;
        } else if (original != nullptr && !(*original)[item].empty()) {
            set.assign((*original)[item].begin(), (*original)[item].end());
            ++out.original;
        } else {
            ++out.left_out;
        }
        out.sets.append(set);
        if (out.annotated[item] != 0) out.kept += out.sets[item].size();
    }
    return out;
}

Dataset dataset_of_votes(const Votes& votes) {
    Dataset out;
    bool imagenet = votes.items.size() > 0;
    for (std::size_t i = 0; i < votes.items.size() && imagenet; ++i) {
        const std::uint64_t number = imagenet_val_number(votes.items[i]);
        imagenet = number >= 1 && number <= imagenet_val_images;
    }
    if (imagenet) {
        for (std::size_t i = 1; i <= imagenet_val_images; ++i)
            out.ids.append(fmt::format("ILSVRC2012_val_{:08}.JPEG", i));
    } else {
        const std::vector<char> again = longer_names(votes.items);
        for (std::size_t i = 0; i < again.size(); ++i)
            if (again[i] == 0) out.ids.append(votes.items[i]);
    }
    for (std::size_t i = 0; i < out.ids.size(); ++i) out.labels.append({});
    out.name = "votes";
    return out;
}

ClassList classes_of_votes(const Votes& votes) {
    std::uint64_t largest = 0;
    bool numbers = true;
    std::vector<std::string> names;
    for (std::size_t l = 0; l < votes.labels.size(); ++l) {
        std::uint64_t number = 0;
        numbers = numbers && parse_number(votes.labels[l], number) && number <= most_class_number;
        largest = std::max(largest, number);
        names.emplace_back(votes.labels[l]);
    }
    if (numbers) {
        const bool imagenet =
            largest < 1000 && votes.items.size() > 0 && imagenet_val_number(votes.items[0]) > 0;
        return imagenet ? imagenet_classes()
                        : numbered_classes(static_cast<std::size_t>(largest) + 1);
    }
    std::sort(names.begin(), names.end());
    return ClassList(std::move(names));
}

LabelSetFormat label_set_format_named(std::string_view name) {
    if (name == "list") return LabelSetFormat::list;
    if (name == "object") return LabelSetFormat::object;
    if (name == "csv") return LabelSetFormat::csv;
    throw Error(ErrorCode::usage, fmt::format("label set format `{}`{}", shortened(name),
                                              suggest(name, {"list", "object", "csv"})));
}

namespace {

struct LabelSetRow {
    std::string_view path;
    std::string labels;
};
ResultType result_type(ResultOf<LabelSetRow>) {
    static constexpr auto rows = describe_result<LabelSetRow>(
        {.name = "LabelSetRow", .columns = "path,labels"},
        {part<&LabelSetRow::path>({}), part<&LabelSetRow::labels>({})});
    return rows;
}

}  // namespace

std::string label_sets_text(const LabelSets& sets, const Dataset& dataset, const ClassList& classes,
                            LabelSetFormat format) {
    const bool numbers = classes.empty() || is_numbered(classes) || classes == imagenet_classes();
    const auto label_json = [&](std::int32_t c) {
        return numbers ? std::to_string(c)
                       : json_id("class", classes.id(static_cast<std::size_t>(c)));
    };
    std::string out;
    if (format == LabelSetFormat::csv) {
        DescribedCsv<LabelSetRow> csv(out);
        std::optional<LabelCells> ids;
        if (!numbers) ids.emplace(classes);
        for (std::size_t i = 0; i < sets.size(); ++i)
            csv.add({dataset.ids[i],
                     ids ? ids->text(sets[i]) : fmt::format("{}", fmt::join(sets[i], " "))});
        return out;
    }
    const bool object = format == LabelSetFormat::object;
    out += object ? "{" : "[";
    for (std::size_t i = 0; i < sets.size(); ++i) {
        out += i == 0 ? "" : object ? ",\n " : ", ";
        if (object) out += json_id("item", dataset.ids[i]) + ": ";
        out += "[";
        for (std::size_t n = 0; n < sets[i].size(); ++n)
            out += (n == 0 ? "" : ", ") + label_json(sets[i][n]);
        out += "]";
    }
    return out + (object ? "}\n" : "]\n");
}

}  // namespace assay
