#include "store/dataset_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <unordered_set>

#include "assay/error.h"
#include "assay/report.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_reader.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "data/item_columns.h"
#include "store/fields.h"
#include "store/layout.h"
#include "store/same_data.h"

namespace assay::store {
namespace {

using nlohmann::json;

constexpr std::string_view dataset_schema = "assay.dataset";

fs::path record_file(const fs::path& folder) {
    return folder / "dataset.json";
}

fs::path items_file(const fs::path& folder) {
    return folder / "items.csv";
}

fs::path columns_file(const fs::path& folder) {
    return folder / "items.columns";
}

/// The two files are written once, within seconds, so waiting is better than refusing the second
/// writer. Returns nothing if the file system has no locks.
std::optional<FileLock> wait_for_lock(const fs::path& path) {
    using namespace std::chrono_literals;
    for (const auto deadline = std::chrono::steady_clock::now() + 120s;;) {
        try {
            return FileLock::if_supported(path);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::busy || std::chrono::steady_clock::now() > deadline)
                throw;
        }
        std::this_thread::sleep_for(5ms);
    }
}

std::string remedy_of(const fs::path& folder) {
    return fmt::format(
        "restore an earlier copy, or remove `{}`: the command that made the first store here "
        "writes it and items.csv again, and the scores stay",
        record_file(folder).string());
}

/// Throws bad_input if items.csv is not the file that was described.
void check_items(const DatasetRecord& record, const fs::path& folder) {
    const fs::path items = items_file(folder);
    with_note(fmt::format("reading `{}`", items.string()), [&] {
        with_remedy(items, remedy_of(folder), [&] {
            std::error_code error;
            const std::uint64_t bytes = fs::file_size(items, error);
            if (error)
                refuse(fmt::format("`{}` cannot be read: {}", items.string(), error.message()));
            if (bytes != record.items_bytes || hash_file(items) != record.items_xxh128) {
                refuse(
                    fmt::format("`{}` is not the file that dataset.json describes ({} bytes, "
                                "{})",
                                items.string(), record.items_bytes, record.items_xxh128));
            }
        });
    });
}

void sync_file(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const int error = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
    if (descriptor >= 0) ::close(descriptor);
    if (error != 0)
        throw Error(ErrorCode::io,
                    fmt::format("cannot sync `{}`: {}", path.string(), std::strerror(error)));
}

void write_items(const Dataset& dataset, const fs::path& path) {
    const fs::path aside = path.parent_path() / fmt::format(".items.csv.{}.tmp", ::getpid());
    std::error_code error;
    try {
        write_items_csv(dataset, aside);
        sync_file(aside);
        fs::rename(aside, path, error);
        if (error)
            throw Error(ErrorCode::io,
                        fmt::format("cannot write `{}`: {}", path.string(), error.message()));
    } catch (...) {
        fs::remove(aside, error);
        throw;
    }
}

std::string labels_hash(const Dataset& dataset) {
    return dataset.labels.labels() == 0 ? std::string() : dataset.labels.fingerprint();
}

std::string attributes_hash(const Dataset& dataset) {
    if (dataset.attributes.empty()) return {};
    Hasher hasher;
    for (const Dataset::Attribute& attribute : dataset.attributes) {
        hasher.add_field(attribute.name);
        for (std::size_t i = 0; i < attribute.values.size(); ++i)
            hasher.add_field(attribute.values[i]);
    }
    return hasher.digest();
}

std::string dataset_id(const DatasetRecord& record) {
    Hasher hasher;
    for (const std::string& text :
         {record.name, record.ids_hash, record.labels_hash, record.attributes_hash})
        hasher.add_field(text);
    for (const std::string& id : record.classes.ids()) hasher.add_field(id);
    for (const std::string& name : record.classes.names()) hasher.add_field(name);
    if (!record.corruption.empty()) hasher.add_field(record.corruption);
    return hasher.digest();
}

/// The recorded form of a path: absolute, without a slash at its end.
std::string root_text(const fs::path& root) {
    if (root.empty()) return {};
    const fs::path whole = absolute_path(root);
    return (whole.has_filename() ? whole : whole.parent_path()).string();
}

/// A suggested name that distinguishes the new data set from the existing data set.
std::string another_name(const std::string& there) {
    return shell_word(there + "-2");
}

/// Throws if the images differ although their names agree, because they were corrupted differently.
void check_same_corruption(const DatasetRecord& there, std::string_view now,
                           const fs::path& folder) {
    if (same_corruption(there.corruption, now)) return;
    std::string how;
    if (now.empty()) {
        how = "corrupted images, but those now are not corrupted";
    } else if (there.corruption.empty()) {
        how = "images that are not corrupted, but those now are";
    } else {
        how = "images that were corrupted differently: " +
              field_differences(json::parse(there.corruption), json::parse(now));
    }
    refuse(
        fmt::format("the data set `{}` in `{}` contains {}; use another --out or another data set "
                    "name: --dataset-name {}",
                    there.name, folder.string(), how, another_name(there.name)));
}

ClassList classes_in(const JsonReader& fields) {
    std::vector<std::string> ids = fields["ids"].texts();
    std::vector<std::string> names = fields["names"].texts();
    if (ids.size() != names.size())
        refuse(fmt::format("{} class ids but {} class names", ids.size(), names.size()));
    return ids.empty() ? ClassList() : ClassList(std::move(ids), std::move(names));
}

/// Reads both files and checks them against each other.
Dataset read_items(const DatasetRecord& record, const fs::path& folder) {
    const fs::path items = items_file(folder);
    return with_note(fmt::format("reading `{}`", items.string()), [&] {
        Dataset dataset = read_items_csv(items);
        if (!same_items(record, dataset)) {
            refuse(
                fmt::format("`{}` holds {} items with ids hash `{}`; dataset.json says {} and `{}`",
                            items.string(), dataset.size(), dataset.ids_fingerprint(), record.rows,
                            record.ids_hash));
        }
        return dataset;
    });
}

/// A command that moves the existing items away, if they are a part of the new items, as after a
/// pilot.
std::string aside_of_part(const StringColumn& there, const StringColumn& now,
                          const fs::path& folder) {
    if (there.size() == 0 || there.size() >= now.size()) return "";
    std::unordered_set<std::string_view> all;
    for (std::size_t i = 0; i < now.size(); ++i) all.insert(now[i]);
    for (std::size_t i = 0; i < there.size(); ++i) {
        if (!all.contains(there[i])) return "";
    }
    fs::path aside = folder;
    aside += fmt::format("-{}", there.size());
    if (fs::exists(aside)) return "";
    return fmt::format(
        "; the stored images are some of the present ones, as after a pilot: to set them aside and "
        "start again, type `mv {} {}` and rerun the command",
        shell_word(folder.string()), shell_word(aside.string()));
}

/// Returns the existing record if it matches `dataset`.
DatasetRecord same_record(const std::string& ids_hash, const Dataset& dataset,
                          std::string_view corruption, const fs::path& folder) {
    DatasetRecord there = read_dataset_record(folder);
    check_items(there, folder);
    check_same_corruption(there, corruption, folder);
    const auto other = [&](const std::string& what, const std::string& difference,
                           const std::string& more) {
        refuse(fmt::format(
            "the data set `{}` in `{}` has {}: {}; use another --out or another data "
            "set name (--dataset-name {}){}",
            there.name, folder.string(), what, difference, another_name(there.name), more));
    };
    // The command that made the store may continue, even if its classes were renamed since.
    DatasetRecord as_then = there;
    for (const DatasetRecord::Former& former : there.former) {
        if (same_class_ids(former.classes, dataset.classes)) as_then.classes = former.classes;
    }
    const SameData same = same_data(as_then, new_record(there.name, ids_hash, dataset, corruption));
    if (!same.ids) {
        const StringColumn ids = load_dataset(folder).ids;
        other("other items", items_difference(ids, dataset.ids, there_and_now),
              aside_of_part(ids, dataset.ids, folder));
    }
    // The classes are checked before the labels, because labels are class numbers.
    if (!same.classes && !there.classes.empty() && !dataset.classes.empty()) {
        other("different classes before and now",
              classes_difference(there.classes, dataset.classes, there_and_now), "");
    }
    if (dataset.labels.labels() != 0 && !same.labels) {
        if (there.labels_hash.empty()) {
            other("no labels", "the items have labels now",
                  ", or pass the labels to `assay score`");
        }
        other("other labels", labels_difference(load_dataset(folder), dataset, there_and_now),
              ", or pass the labels to `assay score`");
    }
    return there;
}

}  // namespace

DatasetRecord new_record(const std::string& name, const std::string& ids_hash,
                         const Dataset& dataset, std::string_view corruption) {
    DatasetRecord record;
    record.name = name;
    record.root = root_text(dataset.root);
    record.rows = dataset.size();
    record.ids_hash = ids_hash;
    record.labels_hash = labels_hash(dataset);
    record.attributes_hash = attributes_hash(dataset);
    record.classes = dataset.classes;
    if (!corruption.empty()) record.corruption = json::parse(corruption).dump();
    record.id = dataset_id(record);
    return record;
}

std::string dataset_text(const DatasetRecord& record) {
    json value = {
        {"schema", dataset_schema},
        {"schema_version", schema_version},
        {"id", record.id},
        {"name", record.name},
        {"root", record.root},
        {"rows", record.rows},
        {"ids_hash", record.ids_hash},
        {"labels_hash", record.labels_hash},
        {"attributes_hash", record.attributes_hash},
        {"items",
         {{"name", "items.csv"}, {"bytes", record.items_bytes}, {"xxh128", record.items_xxh128}}},
        {"classes", {{"ids", record.classes.ids()}, {"names", record.classes.names()}}}};
    if (!record.corruption.empty()) value["corruption"] = json::parse(record.corruption);
    for (const DatasetRecord::Former& former : record.former) {
        value["former"].push_back(
            {{"id", former.id},
             {"classes", {{"ids", former.classes.ids()}, {"names", former.classes.names()}}}});
    }
    return dump_with_checksum(value);
}

DatasetRecord parse_dataset_record(std::string_view text) {
    const auto [value, format] = parse_object(text, dataset_schema);
    const JsonReader fields(value);
    DatasetRecord record;
    record.name = fields["name"].text();
    record.root = fields["root"].text();
    record.rows = fields["rows"].whole(1, 1ULL << 40);
    record.ids_hash = fields["ids_hash"].text();
    record.labels_hash = fields["labels_hash"].text();
    const JsonReader items = fields["items"];
    record.items_bytes = items["bytes"].whole(0, UINT64_MAX);
    record.items_xxh128 = items["xxh128"].text();
    record.classes = classes_in(fields["classes"]);
    if (fields.has("corruption")) record.corruption = fields["corruption"].object().dump();
    record.has_checksum = format >= 3;
    // Before ids existed, the hash of items.csv represented all facts about each item.
    record.attributes_hash = format >= 3 ? fields["attributes_hash"].text() : record.items_xxh128;
    record.id = format >= 3 ? fields["id"].name() : dataset_id(record);
    if (fields.has("former")) {
        for (const JsonReader& former : fields["former"].entries())
            record.former.push_back({former["id"].name(), classes_in(former["classes"])});
    }
    return record;
}

DatasetRecord read_dataset_record(const fs::path& folder) {
    return with_note(fmt::format("reading `{}`", record_file(folder).string()), [&] {
        return with_remedy(record_file(folder), remedy_of(folder), [&] {
            return parse_dataset_record(read_text(record_file(folder), max_json_bytes));
        });
    });
}

DatasetRecord ensure_dataset(const fs::path& folder, const std::string& name,
                             const std::string& ids_hash, const Dataset& dataset,
                             std::string_view corruption) {
    // A complete description is only read, so that a second model can be stored even if the data
    // set's folder is read-only.
    if (is_there(record_file(folder))) return same_record(ids_hash, dataset, corruption, folder);
    const std::optional<FileLock> lock = wait_for_lock(folder / ".lock");
    if (is_there(record_file(folder))) return same_record(ids_hash, dataset, corruption, folder);
    remove_stale_temporaries(folder);
    write_items(dataset, items_file(folder));
    DatasetRecord record = new_record(name, ids_hash, dataset, corruption);
    record.items_bytes = file_bytes(items_file(folder));
    record.items_xxh128 = hash_file(items_file(folder));
    write_item_columns(dataset, record.items_xxh128, columns_file(folder));
    write_file_atomically(record_file(folder), dataset_text(record));
    // Without a lock, another process may have written the record meanwhile. It must be the same.
    if (!lock) return same_record(ids_hash, dataset, corruption, folder);
    return record;
}

std::string identity_of(const std::string& name, const Dataset& dataset,
                        std::string_view corruption) {
    return new_record(name, dataset.ids_fingerprint(), dataset, corruption).id;
}

void check_corruption(const fs::path& folder, std::string_view corruption) {
    if (is_there(record_file(folder)))
        check_same_corruption(read_dataset_record(folder), corruption, folder);
}

void move_root(const fs::path& folder, const fs::path& root) {
    try {
        const std::optional<FileLock> lock = wait_for_lock(folder / ".lock");
        DatasetRecord record = read_dataset_record(folder);
        record.root = root_text(root);
        write_file_atomically(record_file(folder), dataset_text(record));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::io) throw;
    }
}

bool was_called(const DatasetRecord& record, std::string_view id) {
    return same_description(record.id, id) ||
           std::ranges::any_of(record.former, [&](const DatasetRecord::Former& former) {
               return same_description(former.id, id);
           });
}

DatasetRecord set_classes(const fs::path& folder, const ClassList& classes) {
    const std::optional<FileLock> lock = wait_for_lock(folder / ".lock");
    remove_stale_temporaries(folder);
    DatasetRecord record = read_dataset_record(folder);
    if (record.classes == classes) return record;
    if (!record.classes.empty() && record.classes.size() != classes.size()) {
        refuse(fmt::format("the data set `{}` in `{}` has {} classes, but the new list has {}",
                           record.name, folder.string(), record.classes.size(), classes.size()));
    }
    // The former value was the file's hash. Ids use the new value from now on.
    if (!record.has_checksum) record.attributes_hash = attributes_hash(read_items(record, folder));
    record.former.push_back({record.id, record.classes});
    record.classes = classes;
    record.id = dataset_id(record);
    std::erase_if(record.former, [&](const DatasetRecord::Former& former) {
        return same_description(former.id, record.id);
    });
    write_file_atomically(record_file(folder), dataset_text(record));
    return record;
}

void mend_item_columns(const DatasetRecord& record, const fs::path& folder) {
    if (map_item_columns(columns_file(folder), record.items_xxh128)) return;
    try {
        write_item_columns(read_items(record, folder), record.items_xxh128, columns_file(folder));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::io) throw;
    }
}

std::string item_columns_problem(const fs::path& folder) {
    const fs::path file = columns_file(folder);
    if (!is_there(file)) return {};
    if (map_item_columns(file, read_dataset_record(folder).items_xxh128)) return {};
    return fmt::format(
        "`{}` is damaged, or belongs to another items.csv, so items.csv is read instead: remove "
        "it, or rerun the command that made a store here",
        file.string());
}

Dataset load_dataset(const fs::path& folder) {
    DatasetRecord record = read_dataset_record(folder);
    check_items(record, folder);
    std::optional<Dataset> mapped = map_item_columns(columns_file(folder), record.items_xxh128);
    Dataset dataset =
        mapped && mapped->size() == record.rows ? std::move(*mapped) : read_items(record, folder);
    dataset.name = std::move(record.name);
    dataset.root = std::move(record.root);
    dataset.classes = std::move(record.classes);
    return dataset;
}

}  // namespace assay::store
