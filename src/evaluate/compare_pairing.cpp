#include "evaluate/compare_pairing.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/shell_word.h"
#include "store/same_data.h"

namespace assay {
namespace {

// The last `count` parts of a folder's path.
std::string end_of(const std::filesystem::path& folder, std::ptrdiff_t count) {
    const std::ptrdiff_t parts = std::distance(folder.begin(), folder.end());
    std::filesystem::path end;
    for (auto part = std::next(folder.begin(), std::max<std::ptrdiff_t>(0, parts - count));
         part != folder.end(); ++part)
        end /= *part;
    return end.string();
}

}  // namespace

Alignment align(const RowReader& one, const RowReader& two) {
    const PredictionStore &a = one.store(), &b = two.store();
    Alignment rows;
    const auto add = [&](std::uint64_t i, std::uint64_t j) {
        if (one.status(i) != RowStatus::ok || two.status(j) != RowStatus::ok) {
            ++rows.not_scored;
            return;
        }
        rows.baseline.push_back(i);
        rows.candidate.push_back(j);
    };
    if (store::same_items(a, b)) {
        for (std::uint64_t i = 0; i < a.rows(); ++i) add(i, i);
        return rows;
    }
    const StringColumn &a_ids = a.dataset().ids, &b_ids = b.dataset().ids;
    std::unordered_map<std::string_view, std::uint64_t> row_of;
    row_of.reserve(b_ids.size());
    for (std::size_t j = 0; j < b_ids.size(); ++j) row_of.emplace(b_ids[j], j);
    std::uint64_t common = 0;
    for (std::size_t i = 0; i < a_ids.size(); ++i) {
        const auto found = row_of.find(a_ids[i]);
        if (found == row_of.end()) {
            ++rows.only_baseline;
        } else {
            ++common;
            add(i, found->second);
        }
    }
    rows.only_candidate = b_ids.size() - common;
    return rows;
}

std::vector<std::int32_t> class_places(const PredictionStore& a, const PredictionStore& b) {
    const ClassList &ours = a.dataset().classes, &theirs = b.dataset().classes;
    // A list that does not match the scores gives no information about them.
    if (ours.size() != a.classes() || theirs.size() != b.classes()) return {};
    store::SameClasses same = store::same_classes(ours, theirs);
    if (same.order == store::SameClasses::Order::other) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` and `{}` have different classes: {}; their scores cannot be "
                                "compared. If a list is wrong: `assay relabel {} --classes FILE`",
                                a.folder().string(), b.folder().string(),
                                store::classes_difference(ours, theirs, store::Sides()),
                                shell_word(b.folder().string())));
    }
    return std::move(same.places);
}

std::uint64_t relabelled(const PredictionStore& a, const PredictionStore& b, const Alignment& rows,
                         std::span<const std::int32_t> places) {
    const LabelSets &ours = a.dataset().labels, &theirs = b.dataset().labels;
    // The labels are numbers of other classes, or there are no labels.
    if (a.dataset().classes.size() != b.dataset().classes.size() || theirs.size() != b.rows())
        return 0;
    std::vector<std::int32_t> set;
    std::uint64_t count = 0;
    for (std::size_t k = 0; k < rows.baseline.size(); ++k) {
        set.clear();
        for (const std::int32_t label : ours[static_cast<std::size_t>(rows.baseline[k])])
            set.push_back(places.empty() ? label : places[static_cast<std::size_t>(label)]);
        std::sort(set.begin(), set.end());
        const auto other = theirs[static_cast<std::size_t>(rows.candidate[k])];
        count += !other.empty() && !std::equal(set.begin(), set.end(), other.begin(), other.end())
                     ? 1
                     : 0;
    }
    return count;
}

PairedImages paired_images(const RowReader& first, const RowReader& second, const Alignment& rows) {
    const PredictionStore &a = first.store(), &b = second.store();
    const auto image_of = [](const RowReader& reader, std::uint64_t row) {
        const std::uint32_t rows_of_shard = reader.store().spec().shard_rows;
        const auto* shard = reader.shard(static_cast<std::size_t>(row / rows_of_shard));
        const auto at = static_cast<std::size_t>(row % rows_of_shard);
        return shard != nullptr && at < shard->images().size() ? shard->images()[at] : ImageFile{};
    };
    // The same files are different images if one of them is corrupted in memory.
    const bool same_files_same_images = store::same_data(a, b, {}).corruption;
    PairedImages out;
    for (std::size_t k = 0; k < rows.baseline.size(); ++k) {
        const ImageFile x = image_of(first, rows.baseline[k]),
                        y = image_of(second, rows.candidate[k]);
        const std::optional<bool> same = store::same_file(x, y);
        if (!same) continue;
        ++out.compared;
        if (*same && same_files_same_images) continue;
        if (out.differ++ == 0)
            out.first = a.dataset().ids[static_cast<std::size_t>(rows.baseline[k])];
    }
    if (out.compared > 0) return out;
    if (!store::same_items(a, b) || a.spec().shard_rows != b.spec().shard_rows) return out;
    for (std::size_t s = 0; s < a.shards(); ++s) {
        const PredictionStore::Shard *one = first.shard(s), *two = second.shard(s);
        if (one == nullptr || two == nullptr) continue;
        const std::optional<bool> same = store::saw_same_files(*one, *two);
        if (!same) continue;
        out.compared += one->rows;
        if (!*same) out.differ += one->rows;
    }
    return out;
}

Truth carried_over(const Truth& truth, const Alignment& rows, std::uint64_t candidate_rows) {
    constexpr auto nowhere = SoftLabels::no_item;
    std::vector<std::uint64_t> from(static_cast<std::size_t>(candidate_rows), nowhere);
    for (std::size_t k = 0; k < rows.baseline.size(); ++k)
        from[static_cast<std::size_t>(rows.candidate[k])] = rows.baseline[k];
    Truth result;
    result.cues_named = truth.cues_named;
    result.no_cues = truth.no_cues;
    result.only_valid = truth.only_valid;
    result.given = truth.given;
    result.clustered = truth.clustered;
    if (truth.given.soft)
        result.given.soft = std::make_shared<const SoftLabels>(truth.given.soft->of_items(from));
    for (const std::uint64_t row : from) {
        const auto at = static_cast<std::size_t>(row);
        result.labels.append(row == nowhere ? std::span<const std::int32_t>() : truth.labels[at]);
        result.targets.push_back(row == nowhere ? -1 : truth.targets[at]);
        if (!truth.group.empty())
            result.group.push_back(row == nowhere ? std::uint8_t{0} : truth.group[at]);
        if (truth.clustered) result.cluster.push_back(row == nowhere ? 0U : truth.cluster[at]);
        if (!truth.cues.empty()) result.cues.push_back(row == nowhere ? Cues{} : truth.cues[at]);
    }
    return result;
}

std::vector<std::string> names_of(std::span<const PredictionStore* const> stores) {
    std::map<std::string, std::set<std::filesystem::path>> folders;
    for (const auto* store : stores) folders[store->spec().model_name].insert(store->folder());
    std::vector<std::string> names;
    for (const auto* store : stores) {
        const auto& namesakes = folders[store->spec().model_name];
        const auto told_apart = [&](std::ptrdiff_t parts) {
            std::set<std::string> ends;
            for (const auto& folder : namesakes) ends.insert(end_of(folder, parts));
            return ends.size() == namesakes.size();
        };
        std::ptrdiff_t parts = 1;
        while (!told_apart(parts)) ++parts;
        names.push_back(namesakes.size() == 1 ? store->spec().model_name
                                              : end_of(store->folder(), parts));
    }
    return names;
}

}  // namespace assay
