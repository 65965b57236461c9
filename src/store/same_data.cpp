#include "store/same_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "core/string_index.h"
#include "core/text.h"
#include "store/dataset_files.h"
#include "store/fields.h"
#include "store/layout.h"
#include "store/record.h"

namespace assay::store {
namespace {

using Record = std::shared_ptr<const DatasetRecord>;

/// The description of a store's data set, from its file or from the data in memory.
Record record_of_data(const PredictionStore& store) {
    const StoreSpec& spec = store.spec();
    return std::make_shared<const DatasetRecord>(
        store.is_in_memory() ? new_record(spec.dataset_name, spec.ids_hash, store.dataset(), "")
                             : read_dataset_record(store.folder().parent_path()));
}

bool lie_together(const PredictionStore& one, const PredictionStore& two) {
    return !one.is_in_memory() && !two.is_in_memory() &&
           one.folder().parent_path() == two.folder().parent_path();
}

/// True if everything in dataset.json is certainly the same, so that it need not be read.
bool have_one_description(const PredictionStore& one, const PredictionStore& two) {
    const std::string &a = one.spec().dataset_id, &b = two.spec().dataset_id;
    return lie_together(one, two) || (!a.empty() && a == b);
}

/// True if the list names the classes.
bool names_classes(const ClassList& classes) {
    return !classes.empty() && !is_numbered(classes);
}

/// `description` returns the record of a store on demand.
template <class Description>
SameData compared(const PredictionStore& one, const PredictionStore& two, const Needs& needs,
                  const Description& description) {
    SameData same;
    const StoreSpec &a = one.spec(), &b = two.spec();
    if (!have_one_description(one, two)) {
        if (needs.classes || needs.labels || needs.attributes || needs.images)
            same = same_data(*description(one), *description(two));
        same.ids = same_items(a, b);
        same.name = same_name(a, b);
    }
    same.classes = same.classes && a.classes == b.classes;
    if (needs.images && same.ids && same.corruption) same.files = saw_same_files(one, two);
    return same;
}

std::string corruption_difference(const std::string& one, const std::string& two) {
    if (one.empty() || two.empty())
        return fmt::format("images that are corrupted in the {} alone",
                           one.empty() ? "second" : "first");
    return "images that were corrupted differently: " +
           field_differences(nlohmann::json::parse(one), nlohmann::json::parse(two));
}

/// The records of shards, each read once.
class ShardRecords {
public:
    explicit ShardRecords(const PredictionStore& store) : store_(store) {}

    /// It is not known() without a record, or if the image was unreadable then.
    ImageFile image(std::uint64_t row) {
        const auto shard = static_cast<std::size_t>(row / store_.spec().shard_rows);
        const auto [at, fresh] = records_.try_emplace(shard);
        if (fresh && !store_.is_in_memory() && store_.has(shard))
            at->second = record_if_there(store_.folder(), store_.spec(), shard);
        if (!at->second) return {};
        const auto place = static_cast<std::size_t>(row - shard_begin(store_.spec(), shard));
        const ShardRecord& record = *at->second;
        const bool read =
            place < record.images.size() && record.states[place] != RowState::unreadable;
        return read ? record.images[place] : ImageFile{};
    }

private:
    const PredictionStore& store_;
    std::map<std::size_t, std::optional<ShardRecord>> records_;
};

/// The pairs of rows with the same id, or with the same file name.
std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs_of_equal(const StringColumn& one,
                                                                    const StringColumn& two,
                                                                    bool names_alone) {
    const auto text = [&](const StringColumn& ids, std::size_t i) {
        return names_alone ? base_name(ids[i]) : ids[i];
    };
    StringIndex index(two.size(), [&](std::uint32_t i) { return text(two, i); });
    for (std::uint32_t i = 0; i < two.size(); ++i) index.insert(i);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (std::uint32_t i = 0; i < one.size(); ++i) {
        if (const auto found = index.find(text(one, i))) pairs.emplace_back(i, *found);
    }
    return pairs;
}

}  // namespace

bool SameData::meets(const Needs& needs) const {
    return ids && (classes || !needs.classes) && (labels || !needs.labels) &&
           (attributes || !needs.attributes) && (name || !needs.name) &&
           (images() || !needs.images);
}

SameData same_data(const DatasetRecord& one, const DatasetRecord& two) {
    SameData same;
    same.ids = one.rows == two.rows && one.ids_hash == two.ids_hash;
    same.classes = one.classes.ids() == two.classes.ids();
    same.labels = one.labels_hash == two.labels_hash &&
                  (same.classes || !names_classes(one.classes) || !names_classes(two.classes));
    // Older descriptions have the hash of a whole file instead.
    same.attributes =
        one.attributes_hash == two.attributes_hash || !one.has_checksum || !two.has_checksum;
    same.name = one.name == two.name;
    same.corruption = one.corruption == two.corruption;
    return same;
}

SameData same_data(const PredictionStore& one, const PredictionStore& two, const Needs& needs) {
    return compared(one, two, needs, record_of_data);
}

bool same_items(const PredictionStore& one, const PredictionStore& two) {
    return same_data(one, two, {.images = false}).ids;
}

bool same_items(const StoreSpec& one, const StoreSpec& two) {
    return one.rows == two.rows && one.ids_hash == two.ids_hash;
}

bool same_items(const StoreSpec& store, const DatasetRecord& described) {
    return store.rows == described.rows && store.ids_hash == described.ids_hash;
}

bool same_items(const StoreSpec& store, const Dataset& dataset) {
    return store.rows == dataset.size() && store.ids_hash == dataset.ids_fingerprint();
}

bool same_items(const DatasetRecord& described, const Dataset& dataset) {
    return described.rows == dataset.size() && described.ids_hash == dataset.ids_fingerprint();
}

bool same_items(const Dataset& one, const Dataset& two) {
    return one.ids == two.ids;
}

bool same_description(const StoreSpec& one, const StoreSpec& two) {
    return same_description(one.dataset_id, two.dataset_id);
}

bool same_description(std::string_view one, std::string_view two) {
    return one == two;
}

bool same_name(const StoreSpec& one, const StoreSpec& two) {
    return one.dataset_name == two.dataset_name;
}

bool same_name(const StoreSpec& store, const DatasetRecord& described) {
    return store.dataset_name == described.name;
}

bool same_corruption(std::string_view one, std::string_view two) {
    return one == two;
}

std::string difference(const PredictionStore& one, const PredictionStore& two, const Needs& needs) {
    const SameData same = same_data(one, two, needs);
    if (same.meets(needs)) return {};
    constexpr Sides sides;
    if (!same.ids)
        return "other items: " + items_difference(one.dataset().ids, two.dataset().ids, sides);
    if (needs.classes && !same.classes) {
        if (one.classes() != two.classes())
            return fmt::format("scores of {} and of {} classes", one.classes(), two.classes());
        return "other classes: " +
               classes_difference(one.dataset().classes, two.dataset().classes, sides);
    }
    if (needs.labels && !same.labels) {
        std::string labels = labels_difference(one.dataset(), two.dataset(), sides);
        // The numbers are equal but mean different classes.
        return labels.empty() ? "other classes: " + classes_difference(one.dataset().classes,
                                                                       two.dataset().classes, sides)
                              : "other labels: " + labels;
    }
    if (needs.attributes && !same.attributes) return "different attributes of the items";
    if (needs.images && !same.corruption)
        return corruption_difference(corruption_of(one), corruption_of(two));
    if (needs.images && !same.images()) return "different images under the same ids";
    return fmt::format("two data sets, `{}` and `{}`", one.spec().dataset_name,
                       two.spec().dataset_name);
}

void require_same(const PredictionStore& one, const PredictionStore& two, const Needs& needs) {
    const std::string what = difference(one, two, needs);
    if (what.empty()) return;
    refuse(fmt::format(
        "`{}` and `{}` do not belong together: {}; name the stores of one data set, as "
        "in `{}`",
        one.folder().string(), two.folder().string(), what, one.folder().parent_path().string()));
}

std::string data_key(const PredictionStore& store, const Needs& needs) {
    const Record record = record_of_data(store);
    Hasher hasher;
    hasher.add_field(std::to_string(store.rows()));
    hasher.add_field(store.spec().ids_hash);
    if (needs.name) hasher.add_field(store.spec().dataset_name);
    if (needs.classes) hasher.add_field(std::to_string(store.classes()));
    if (needs.classes || needs.labels) hasher.add_field(record->classes.fingerprint());
    if (needs.labels) hasher.add_field(record->labels_hash);
    if (needs.attributes) hasher.add_field(record->attributes_hash);
    if (needs.images) hasher.add_field(record->corruption);
    return hasher.digest();
}

std::vector<std::vector<std::size_t>> groups_of(std::span<const PredictionStore* const> stores,
                                                const Needs& needs) {
    std::map<fs::path, Record> described;  // stores in one folder share the description
    const auto description = [&](const PredictionStore& store) -> Record {
        if (store.is_in_memory()) return record_of_data(store);
        Record& record = described[store.folder().parent_path()];
        if (record == nullptr) record = record_of_data(store);
        return record;
    };
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < stores.size(); ++i) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& members) {
            return compared(*stores[members.front()], *stores[i], needs, description).meets(needs);
        });
        if (group == groups.end()) {
            groups.push_back({i});
        } else {
            group->push_back(i);
        }
    }
    return groups;
}

std::string corruption_of(const PredictionStore& store) {
    return store.is_in_memory() ? std::string()
                                : read_dataset_record(store.folder().parent_path()).corruption;
}

std::string dataset_id_of(const PredictionStore& store) {
    const std::string& own = store.spec().dataset_id;
    return own.empty() ? read_dataset_record(store.folder().parent_path()).id : own;
}

std::optional<bool> saw_same_files(const PredictionStore& one, const PredictionStore& two) {
    const StoreSpec &a = one.spec(), &b = two.spec();
    if (!same_items(a, b)) return std::nullopt;
    const auto record_of = [](const PredictionStore& store, std::size_t shard) {
        std::optional<ShardRecord> record;
        if (store.has(shard) && !store.is_in_memory())
            record = record_if_there(store.folder(), store.spec(), shard);
        if (record && record->images_hash.empty()) record.reset();
        return record;
    };
    for (std::size_t s = 0; s < one.shards(); ++s) {
        const auto first = record_of(one, s);
        if (!first) continue;
        const std::uint64_t begin = shard_begin(a, s), end = begin + first->states.size();
        for (auto t = static_cast<std::size_t>(begin / b.shard_rows);
             t < two.shards() && shard_begin(b, t) < end; ++t) {
            const auto second = record_of(two, t);
            if (!second) continue;
            const std::uint64_t from = shard_begin(b, t);
            if (first->images.empty() || second->images.empty()) {
                if (from != begin || first->states.size() != second->states.size()) continue;
                return first->images_hash == second->images_hash;
            }
            // Images are compared individually if possible, because an image that only one store
            // could read is not a difference.
            const std::uint64_t last = std::min(end, from + second->images.size());
            for (std::uint64_t row = std::max(begin, from); row < last; ++row) {
                const auto i = static_cast<std::size_t>(row - begin),
                           k = static_cast<std::size_t>(row - from);
                const ImageFile &x = first->images[i], &y = second->images[k];
                const bool read = x.known() && y.known() &&
                                  first->states[i] != RowState::unreadable &&
                                  second->states[k] != RowState::unreadable;
                if (read && x != y) return false;
            }
            return true;
        }
    }
    return std::nullopt;
}

std::optional<bool> saw_same_files(const PredictionStore::Shard& one,
                                   const PredictionStore::Shard& two) {
    if (one.images_hash().empty() || two.images_hash().empty()) return std::nullopt;
    return one.images_hash() == two.images_hash();
}

std::optional<bool> same_file(const ImageFile& one, const ImageFile& two) {
    if (!one.known() || !two.known()) return std::nullopt;
    return one == two;
}

CommonItems common_items(const PredictionStore& one, const PredictionStore& two) {
    const StringColumn &a = one.dataset().ids, &b = two.dataset().ids;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> common = pairs_of_equal(a, b, false);
    if (common.empty()) common = pairs_of_equal(a, b, true);
    constexpr std::size_t most = 64;
    const std::size_t step = std::max<std::size_t>(1, common.size() / most);
    ShardRecords first(one), second(two);
    CommonItems out{.items = common.size()};
    for (std::size_t k = 0; k < common.size(); k += step) {
        const std::optional<bool> same =
            same_file(first.image(common[k].first), second.image(common[k].second));
        if (!same) continue;
        out.same_files = same;
        if (!*same) break;
    }
    return out;
}

RecordedData recorded_data(const PredictionStore& store) {
    return {store.spec().ids_hash, corruption_of(store)};
}

std::string difference(const RecordedData& recorded, const PredictionStore& store) {
    const RecordedData now = recorded_data(store);
    if (recorded.ids_hash != now.ids_hash)
        return "different images: their ids or their order differ";
    if (recorded.corruption == now.corruption) return {};
    return corruption_difference(recorded.corruption, now.corruption);
}

bool made_on(const PredictionStore& store, const Dataset& dataset, const std::string& name,
             std::string_view corruption, const DatasetRecord* described) {
    const StoreSpec& spec = store.spec();
    if (spec.dataset_id.empty()) return same_items(spec, dataset);
    return spec.dataset_id ==
           (described != nullptr ? described->id : identity_of(name, dataset, corruption));
}

SameClasses same_classes(const ClassList& one, const ClassList& two) {
    SameClasses same;
    if (!names_classes(one) || !names_classes(two)) {
        same.order = SameClasses::Order::unnamed;
        return same;
    }
    if (one.ids() == two.ids()) return same;
    auto places = places_in(two, one);
    if (!places) {
        same.order = SameClasses::Order::other;
        return same;
    }
    for (std::size_t c = 0; c < places->size(); ++c) {
        if ((*places)[c] != static_cast<std::int32_t>(c)) same.order = SameClasses::Order::moved;
    }
    if (!same.in_order()) same.places = std::move(*places);
    return same;
}

bool same_class_ids(const ClassList& one, const ClassList& two) {
    return one.ids() == two.ids();
}

}  // namespace assay::store
