#include "audit/duplicates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "audit/corrections.h"
#include "core/parallel.h"
#include "core/text.h"
#include "data/name_hash.h"
#include "store/layout.h"
#include "store/record.h"

namespace assay::audit {
namespace {

constexpr std::size_t most_members = 20;
constexpr std::uint64_t duplicate_block_rows = 1024;
/// Above this proportion of images, equal scores come from rounding and not from equal images.
constexpr double coarse_proportion = 0.1;

/// One per image; {0, 0} if it is not known.
using ImageKeys = std::vector<NameHash>;
constexpr NameHash unknown_key{0, 0};

/// The files as a store has recorded them; nothing if it has no records.
std::optional<ImageKeys> recorded_keys(const PredictionStore& store) {
    if (store.is_in_memory()) return std::nullopt;
    ImageKeys out(static_cast<std::size_t>(store.rows()), unknown_key);
    bool recorded = false;
    for (std::size_t shard = 0; shard < store::shard_count(store.spec()); ++shard) {
        throw_if_stopped();
        const auto record = store::record_if_there(store.folder(), store.spec(), shard);
        if (!record) continue;
        const auto begin = static_cast<std::size_t>(store::shard_begin(store.spec(), shard));
        for (std::size_t i = 0; i < record->images.size(); ++i) {
            const ImageFile& file = record->images[i];
            if (!file.known()) continue;
            recorded = true;
            out[begin + i] = {file.hash, file.bytes};
        }
    }
    if (!recorded) return std::nullopt;
    return out;
}

/// The files as they are now; nothing if they are not there.
std::optional<ImageKeys> read_keys(const Dataset& dataset, int threads) {
    if (dataset.size() == 0 || (dataset.root.empty() && !dataset.archive)) return std::nullopt;
    if (!dataset.archive && !std::filesystem::exists(dataset.path_of(0))) return std::nullopt;
    ImageKeys out(dataset.size(), unknown_key);
    const std::size_t blocks = (dataset.size() + duplicate_block_rows - 1) /
                               static_cast<std::size_t>(duplicate_block_rows);
    parallel_blocks(blocks, resolve_threads(threads), [&](std::size_t block) {
        const std::size_t begin = block * duplicate_block_rows;
        const std::size_t end = std::min<std::size_t>(dataset.size(), begin + duplicate_block_rows);
        for (std::size_t i = begin; i < end; ++i) {
            throw_if_stopped();
            try {
                const std::vector<std::byte> bytes = dataset.read_image(i);
                out[i] = name_hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
            } catch (const Error& error) {
                if (ends_the_run(error)) throw;
            }
        }
    });
    return out;
}

/// Whether all are decimal numbers of few places. Many sure predictions are equal after rounding.
bool are_rounded(std::span<const float> scores) {
    constexpr double places = 1e4;
    return std::ranges::all_of(scores, [](float score) {
        const double number = std::round(static_cast<double>(score) * places) / places;
        return static_cast<float>(number) == score;
    });
}

/// Of the scores of all classifiers together; unknown where one of them has none, or where all are
/// rounded. `rounded` gets the number of the latter.
ImageKeys score_keys(std::span<const RowReader> readers, int threads, std::uint64_t& rounded) {
    const std::uint64_t rows = readers.front().store().rows();
    ImageKeys out(static_cast<std::size_t>(rows), unknown_key);
    std::vector<std::uint8_t> is_rounded(static_cast<std::size_t>(rows));
    const std::uint64_t blocks = (rows + duplicate_block_rows - 1) / duplicate_block_rows;
    parallel_blocks(
        static_cast<std::size_t>(blocks), resolve_threads(threads), [&](std::size_t block) {
            throw_if_stopped();
            std::vector<float> buffer, joined;
            const std::uint64_t begin = block * duplicate_block_rows;
            for (std::uint64_t row = begin; row < std::min(rows, begin + duplicate_block_rows);
                 ++row) {
                joined.clear();
                for (const RowReader& reader : readers) {
                    if (reader.status(row) != RowStatus::ok) break;
                    const std::span<const float> scores = reader.scores(row, buffer);
                    joined.insert(joined.end(), scores.begin(), scores.end());
                }
                const bool all = joined.size() == readers.size() * readers.front().classes();
                if (!all) continue;
                if (are_rounded(joined)) {
                    is_rounded[static_cast<std::size_t>(row)] = 1;
                    continue;
                }
                out[static_cast<std::size_t>(row)] = name_hash(
                    {reinterpret_cast<const char*>(joined.data()), joined.size() * sizeof(float)});
            }
        });
    rounded = static_cast<std::uint64_t>(std::ranges::count(is_rounded, 1));
    return out;
}

/// Images that are joined: the first one of each set stands for it.
class JoinedImages {
public:
    explicit JoinedImages(std::size_t images) : first_(images) {
        std::iota(first_.begin(), first_.end(), std::uint32_t{0});
    }
    std::uint32_t of(std::uint32_t i) {
        while (first_[i] != i) i = first_[i] = first_[first_[i]];
        return i;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        a = of(a);
        b = of(b);
        first_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::uint32_t> first_;
};

/// Calls visit(first, other) for images with equal keys, with the first one of them in each call.
template <class Visit>
void for_equal_keys(const ImageKeys& keys, Visit&& visit) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < keys.size(); ++i)
        if (keys[i] != unknown_key) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tie(keys[a], a) < std::tie(keys[b], b);
    });
    for (std::size_t first = 0, i = 1; i < order.size(); ++i) {
        if (keys[order[i]] != keys[order[first]]) {
            first = i;
        } else {
            visit(order[first], order[i]);
        }
    }
}

bool all_equal(const ImageKeys& keys, std::span<const std::uint32_t> members) {
    return keys[members.front()] != unknown_key &&
           std::ranges::all_of(members,
                               [&](std::uint32_t i) { return keys[i] == keys[members.front()]; });
}

bool have_other_labels(const Dataset& dataset, std::span<const std::uint32_t> members) {
    std::span<const std::int32_t> known;
    for (const std::uint32_t i : members) {
        const auto labels = dataset.labels[i];
        if (labels.empty()) continue;
        if (!known.empty() && !std::ranges::equal(known, labels)) return true;
        known = labels;
    }
    return false;
}

std::string label_text(const Dataset& dataset, std::uint32_t row) {
    std::string out;
    for (const std::int32_t cls : dataset.labels[row])
        out += (out.empty() ? "" : ", ") + class_id(dataset, cls);
    return out;
}

/// What is known of the files and the scores of all images.
struct Evidence {
    ImageKeys files, scores;
    bool files_known = false;

    std::string_view of(std::span<const std::uint32_t> members) const {
        if (files_known && all_equal(files, members)) return same_file;
        if (!all_equal(scores, members)) return same_file_or_scores;
        return files_known ? same_scores_other_file : same_scores;
    }
};

/// Joins images with equal scores; returns how many there are that share no file.
std::uint64_t count_scores_alone(const Evidence& evidence) {
    std::uint64_t images = 0;
    std::uint32_t last = UINT32_MAX;
    for_equal_keys(evidence.scores, [&](std::uint32_t first, std::uint32_t other) {
        const NameHash &a = evidence.files[first], &b = evidence.files[other];
        if (a != unknown_key && a == b) return;
        images += last == first ? 1 : 2;
        last = first;
    });
    return images;
}

void list_groups(JoinedImages& joined, const Evidence& evidence, const Dataset& dataset,
                 std::uint64_t top, LabelAudit& audit) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
    for (std::uint32_t i = 0; i < dataset.size(); ++i)
        if (joined.of(i) != i) groups[joined.of(i)].push_back(i);
    std::vector<std::tuple<bool, bool, std::uint32_t>> order;  // the lowest is listed first
    for (auto& [first, members] : groups) {
        members.insert(members.begin(), first);
        const bool differ = have_other_labels(dataset, members);
        ++audit.duplicate_groups;
        audit.duplicate_images += members.size();
        audit.contradicting_groups += differ ? 1 : 0;
        order.emplace_back(!differ, evidence.of(members) != same_file, first);
    }
    std::ranges::sort(order);
    if (order.size() > top) order.resize(static_cast<std::size_t>(top));
    for (const auto& place : order) {
        const std::vector<std::uint32_t>& members = groups.at(std::get<2>(place));
        DuplicateGroup& group = audit.listed_duplicates.emplace_back();
        group.images = members.size();
        group.labels_differ = !std::get<0>(place);
        group.evidence = evidence.of(members);
        for (std::size_t m = 0; m < std::min(members.size(), most_members); ++m)
            group.members.push_back(
                {std::string(dataset.ids[members[m]]), label_text(dataset, members[m])});
    }
}

}  // namespace

void find_duplicates(std::span<const RowReader> readers, std::uint64_t top, int threads,
                     LabelAudit& audit) {
    const Dataset& dataset = readers.front().store().dataset();
    Evidence evidence;
    for (const RowReader& reader : readers) {
        if (evidence.files_known) break;
        if (auto keys = recorded_keys(reader.store())) {
            evidence.files = std::move(*keys);
            evidence.files_known = true;
        }
    }
    if (!evidence.files_known) {
        std::optional<ImageKeys> keys = read_keys(dataset, threads);
        evidence.files_known = keys.has_value();
        evidence.files = keys ? std::move(*keys) : ImageKeys(dataset.size(), unknown_key);
    }
    std::uint64_t rounded = 0;
    evidence.scores = score_keys(readers, threads, rounded);
    if (rounded > 0)
        audit.duplicate_notes.push_back(
            fmt::format("equal scores are no evidence for {} with scores of at most four decimals",
                        how_many(rounded, "image")));
    JoinedImages joined(dataset.size());
    const auto join = [&](std::uint32_t a, std::uint32_t b) { joined.join(a, b); };
    for_equal_keys(evidence.files, join);
    const std::uint64_t alone = count_scores_alone(evidence);
    if (static_cast<double>(alone) >
        coarse_proportion * static_cast<double>(std::max<std::size_t>(dataset.size(), 20))) {
        audit.duplicate_notes.push_back(fmt::format(
            "equal scores are no evidence here: {} share them with another file, so the "
            "scores are too coarse",
            how_many(alone, "image")));
    } else {
        for_equal_keys(evidence.scores, join);
    }
    if (!evidence.files_known)
        audit.duplicate_notes.push_back(
            "files were not compared, because no store has a record of them; type `assay inspect "
            "IMAGES`");
    list_groups(joined, evidence, dataset, top, audit);
}

}  // namespace assay::audit
