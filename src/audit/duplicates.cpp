#include "audit/duplicates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/evaluate/inspect.h"
#include "assay/store/prediction_store.h"
#include "audit/corrections.h"
#include "audit/decoded_images.h"
#include "audit/image_keys.h"
#include "core/joined_sets.h"
#include "core/parallel.h"
#include "core/text.h"
#include "data/archives.h"
#include "store/layout.h"
#include "store/record.h"
#include "store/same_data.h"

namespace assay::audit {
namespace {

constexpr std::size_t most_members = 20;
constexpr std::uint64_t duplicate_block_rows = 1024;
/// Above this proportion of images, equal scores come from rounding and not from equal images.
constexpr double coarse_proportion = 0.1;

/// Images look alike if at most this many of the 64 bits of their perceptual hashes differ. The
/// same number as for `assay inspect`.
constexpr int alike_bits = InspectOptions{}.near;

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
                out[i] = name_hash(bytes);
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
                out[static_cast<std::size_t>(row)] = name_hash(std::as_bytes(std::span(joined)));
            }
        });
    rounded = static_cast<std::uint64_t>(std::ranges::count(is_rounded, 1));
    return out;
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

/// What is known of the files, the pixels and the scores of all images.
struct Evidence {
    ImageKeys files, pixels, scores;
    bool files_known = false, pixels_known = false;

    std::string_view of(std::span<const std::uint32_t> members) const {
        if (files_known && all_equal(files, members)) return same_file;
        const bool all_files_known =
            files_known &&
            std::ranges::all_of(members, [&](std::uint32_t i) { return files[i] != unknown_key; });
        if (pixels_known && all_equal(pixels, members))
            return all_files_known ? same_pixels_other_file : same_pixels;
        if (!all_equal(scores, members))
            return pixels_known ? same_file_pixels_or_scores : same_file_or_scores;
        const auto seen = [&](std::uint32_t i) { return pixels[i] != unknown_key; };
        if (pixels_known && std::ranges::all_of(members, seen)) return same_scores_other_pixels;
        return all_files_known ? same_scores_other_file : same_scores;
    }
};

/// Returns how many images share equal scores with an image of another file.
std::uint64_t count_scores_alone(const Evidence& evidence) {
    std::uint64_t images = 0;
    std::uint32_t last = UINT32_MAX;
    for_equal_keys(evidence.scores, unknown_key, [&](std::uint32_t first, std::uint32_t other) {
        const NameHash &a = evidence.files[first], &b = evidence.files[other];
        if (a != unknown_key && a == b) return;
        if (evidence.pixels_known && evidence.pixels[first] != unknown_key &&
            evidence.pixels[first] == evidence.pixels[other])
            return;
        images += last == first ? 1 : 2;
        last = first;
    });
    return images;
}

using Members = std::vector<std::uint32_t>;

/// The sets of several images, in the order of their first ones.
std::vector<Members> sets_of(JoinedSets& joined) {
    std::map<std::uint32_t, Members> sets;
    for (std::uint32_t i = 0; i < joined.size(); ++i)
        if (joined.of(i) != i) sets[joined.of(i)].push_back(i);
    std::vector<Members> out;
    for (auto& [first, members] : sets) {
        members.insert(members.begin(), first);
        out.push_back(std::move(members));
    }
    return out;
}

struct FoundGroup {
    Members members;
    bool differ = false;
    std::string_view evidence;
    int bits = 0;
};

/// Those with different labels first, then equal files, other equal ones, and images that look
/// alike.
void list_groups(std::vector<FoundGroup> found, const Dataset& dataset, std::uint64_t top,
                 LabelAudit& audit) {
    std::ranges::sort(found, [](const FoundGroup& a, const FoundGroup& b) {
        const auto place = [](const FoundGroup& one) {
            return std::tuple(!one.differ, one.evidence == look_alike, one.evidence != same_file,
                              one.members.front());
        };
        return place(a) < place(b);
    });
    if (found.size() > top) found.resize(static_cast<std::size_t>(top));
    for (const FoundGroup& one : found) {
        DuplicateGroup& group = audit.listed_duplicates.emplace_back();
        group.images = one.members.size();
        group.labels_differ = one.differ;
        group.evidence = one.evidence;
        group.bits = one.bits;
        for (std::size_t m = 0; m < std::min(one.members.size(), most_members); ++m)
            group.members.push_back(
                {std::string(dataset.ids[one.members[m]]), label_text(dataset, one.members[m])});
    }
}

void find_equal(JoinedSets& joined, const Evidence& evidence, const Dataset& dataset,
                std::vector<FoundGroup>& found, LabelAudit& audit) {
    for (Members& members : sets_of(joined)) {
        const bool differ = have_other_labels(dataset, members);
        ++audit.duplicate_groups;
        audit.duplicate_images += members.size();
        audit.contradicting_groups += differ ? 1 : 0;
        const std::string_view shown = evidence.of(members);
        found.push_back({.members = std::move(members), .differ = differ, .evidence = shown});
    }
}

/// The members, and the images that are equal to one of them.
Members with_equal(const Members& members, const std::map<std::uint32_t, Members>& equal) {
    Members out;
    for (const std::uint32_t first : members) {
        const auto of = equal.find(first);
        if (of == equal.end()) {
            out.push_back(first);
        } else {
            out.insert(out.end(), of->second.begin(), of->second.end());
        }
    }
    return out;
}

/// Of equal images, only the first one is compared and listed. The labels of all of them count.
void find_alike(JoinedSets& joined, const std::vector<std::uint64_t>& looks, const Dataset& dataset,
                std::vector<FoundGroup>& found, LabelAudit& audit) {
    std::map<std::uint32_t, Members> equal;
    for (Members& members : sets_of(joined)) equal[members.front()] = std::move(members);
    JoinedSets alike = join_alike(joined, looks, alike_bits);
    for (Members& members : sets_of(alike)) {
        const bool differ = have_other_labels(dataset, with_equal(members, equal));
        ++audit.alike_groups;
        audit.alike_images += members.size();
        audit.contradicting_alike_groups += differ ? 1 : 0;
        int bits = 0;
        for (const std::uint32_t i : members)
            bits = std::max(bits, std::popcount(looks[members.front()] ^ looks[i]));
        found.push_back({.members = std::move(members),
                         .differ = differ,
                         .evidence = look_alike,
                         .bits = bits});
    }
}

/// Images whose file is another one than the recorded one. Both keys begin with the same hash.
std::uint64_t count_changed(const ImageKeys& recorded, const ImageKeys& read) {
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < recorded.size(); ++i)
        changed += recorded[i] != unknown_key && read[i] != unknown_key &&
                           recorded[i].first != read[i].first
                       ? 1
                       : 0;
    return changed;
}

/// A folder has no effect on absolute paths.
void refuse_if_all_absolute(const Dataset& dataset, const std::filesystem::path& folder) {
    const StringColumn& paths = dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
    for (std::size_t i = 0; i < paths.size(); ++i)
        if (!std::filesystem::path(paths[i]).is_absolute()) return;
    throw Error(ErrorCode::usage,
                fmt::format("--images {}: the data set has absolute paths, such as {}, which do "
                            "not depend on a folder. Omit --images",
                            folder.string(), paths[0]));
}

/// Adds the pixels to the evidence, and the files if no store has recorded them.
std::vector<std::uint64_t> see_pixels(const PredictionStore& store, const AuditOptions& options,
                                      const ProgressCallback& progress, Evidence& evidence,
                                      LabelAudit& audit) {
    const Dataset& dataset = store.dataset();
    std::optional<Dataset> moved;
    if (!options.images.empty()) {
        refuse_if_all_absolute(dataset, options.images);
        moved = dataset;
        moved->root = options.images;
        moved->archive = nullptr;
    } else if (has_archived_images(dataset)) {
        moved = dataset;
        moved->archive =
            archive_of(dataset, archive_index_folder(store.folder().parent_path().parent_path()));
    }
    if (!store::corruption_of(store).empty())
        audit.duplicate_notes.emplace_back(
            "the pixels are those of the images before their corruption");
    DecodedImages decoded = decode_images(moved ? *moved : dataset, options.threads, progress);
    audit.decoded = dataset.size() - decoded.unreadable;
    if (decoded.unreadable > 0)
        audit.duplicate_notes.push_back(fmt::format(
            "{} could not be decoded and {} compared by other evidence alone; to list "
            "them, type `assay inspect IMAGES`",
            how_many(decoded.unreadable, "image"), decoded.unreadable == 1 ? "is" : "are"));
    if (evidence.files_known) {
        const std::uint64_t changed = count_changed(evidence.files, decoded.files);
        if (changed > 0)
            audit.warnings.push_back(
                fmt::format("--pixels: {} {} changed since the models saw them, so equal pixels "
                            "may not explain the scores. To predict them again, type `assay "
                            "predict -m MODEL -d IMAGES`",
                            how_many(changed, "image"), changed == 1 ? "has" : "have"));
    } else {
        evidence.files = std::move(decoded.files);
        evidence.files_known = true;
    }
    evidence.pixels = std::move(decoded.pixels);
    evidence.pixels_known = true;
    return std::move(decoded.looks);
}

}  // namespace

void find_duplicates(std::span<const RowReader> readers, const AuditOptions& options,
                     LabelAudit& audit, const ProgressCallback& progress) {
    const Dataset& dataset = readers.front().store().dataset();
    Evidence evidence;
    for (const RowReader& reader : readers) {
        if (evidence.files_known) break;
        if (auto keys = recorded_keys(reader.store())) {
            evidence.files = std::move(*keys);
            evidence.files_known = true;
        }
    }
    std::vector<std::uint64_t> looks;
    if (options.pixels)
        looks = see_pixels(readers.front().store(), options, progress, evidence, audit);
    if (!evidence.files_known) {
        std::optional<ImageKeys> keys = read_keys(dataset, options.threads);
        evidence.files_known = keys.has_value();
        evidence.files = keys ? std::move(*keys) : ImageKeys(dataset.size(), unknown_key);
    }
    std::uint64_t rounded = 0;
    evidence.scores = score_keys(readers, options.threads, rounded);
    if (rounded > 0)
        audit.duplicate_notes.push_back(
            fmt::format("equal scores are no evidence for {} with scores of at most four decimals",
                        how_many(rounded, "image")));
    JoinedSets joined(dataset.size());
    const auto join = [&](std::uint32_t a, std::uint32_t b) { joined.join(a, b); };
    for_equal_keys(evidence.files, unknown_key, join);
    for_equal_keys(evidence.pixels, unknown_key, join);
    const std::uint64_t alone = count_scores_alone(evidence);
    if (static_cast<double>(alone) >
        coarse_proportion * static_cast<double>(std::max<std::size_t>(dataset.size(), 20))) {
        audit.duplicate_notes.push_back(fmt::format(
            "equal scores are no evidence here: {} share them with another file, so the "
            "scores are too coarse",
            how_many(alone, "image")));
    } else {
        for_equal_keys(evidence.scores, unknown_key, join);
    }
    if (!evidence.files_known)
        audit.duplicate_notes.push_back(
            "files were not compared, because no store has a record of them; type `assay inspect "
            "IMAGES`");
    std::vector<FoundGroup> found;
    find_equal(joined, evidence, dataset, found, audit);
    if (options.pixels) find_alike(joined, looks, dataset, found, audit);
    list_groups(std::move(found), dataset, options.top, audit);
}

}  // namespace assay::audit
