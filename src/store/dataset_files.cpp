#include "dataset_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "fields.h"
#include "layout.h"

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

/// The two files are written once and within seconds: waiting is better than sending the second
/// writer home.
FileLock wait_for_lock(const fs::path& path) {
    using namespace std::chrono_literals;
    for (const auto deadline = std::chrono::steady_clock::now() + 120s;;) {
        try {
            return FileLock(path);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::busy || std::chrono::steady_clock::now() > deadline)
                throw;
        }
        std::this_thread::sleep_for(5ms);
    }
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

void check_same(const DatasetRecord& there, const std::string& ids_hash, const Dataset& dataset,
                const fs::path& folder) {
    const std::string advice = "use another --out or another data set name";
    if (there.rows != dataset.size() || there.ids_hash != ids_hash) {
        refuse(
            fmt::format("the data set `{}` in `{}` has other items: {} with ids hash `{}` there, "
                        "{} with `{}` now; {}",
                        there.name, folder.string(), there.rows, there.ids_hash, dataset.size(),
                        ids_hash, advice));
    }
    if (dataset.labels.labels() != 0 && there.labels_hash != labels_hash(dataset)) {
        refuse(fmt::format(
            "the data set `{}` in `{}` has {}, hash `{}` there and `{}` now; {}, or give the "
            "labels when scoring",
            there.name, folder.string(), there.labels_hash.empty() ? "no labels" : "other labels",
            there.labels_hash, labels_hash(dataset), advice));
    }
    if (!there.classes.empty() && !dataset.classes.empty() &&
        there.classes.ids() != dataset.classes.ids()) {
        refuse(fmt::format(
            "the data set `{}` in `{}` has other classes: {} with hash `{}` there, {} with `{}` "
            "now; {}",
            there.name, folder.string(), there.classes.size(), there.classes.fingerprint(),
            dataset.classes.size(), dataset.classes.fingerprint(), advice));
    }
}

}  // namespace

std::string dataset_text(const DatasetRecord& record) {
    return dump(
        {{"schema", dataset_schema},
         {"schema_version", schema_version},
         {"name", record.name},
         {"root", record.root},
         {"rows", record.rows},
         {"ids_hash", record.ids_hash},
         {"labels_hash", record.labels_hash},
         {"items",
          {{"name", "items.csv"}, {"bytes", record.items_bytes}, {"xxh128", record.items_xxh128}}},
         {"classes", {{"ids", record.classes.ids()}, {"names", record.classes.names()}}}});
}

DatasetRecord parse_dataset_record(std::string_view text) {
    const json value = parse_object(text, dataset_schema, schema_version);
    DatasetRecord record;
    record.name = text_field(value, "name");
    record.root = text_field(value, "root");
    record.rows = uint_field(value, "rows", 1, 1ULL << 40);
    record.ids_hash = text_field(value, "ids_hash");
    record.labels_hash = text_field(value, "labels_hash");
    const json& items = object_field(value, "items");
    record.items_bytes = uint_field(items, "bytes", 0, UINT64_MAX);
    record.items_xxh128 = text_field(items, "xxh128");
    const json& classes = object_field(value, "classes");
    std::vector<std::string> ids = text_list_field(classes, "ids");
    std::vector<std::string> names = text_list_field(classes, "names");
    if (ids.size() != names.size())
        refuse(fmt::format("{} class ids but {} class names", ids.size(), names.size()));
    if (!ids.empty()) record.classes = ClassList(std::move(ids), std::move(names));
    return record;
}

DatasetRecord read_dataset_record(const fs::path& folder) {
    return with_note(fmt::format("reading `{}`", record_file(folder).string()), [&] {
        return parse_dataset_record(read_text(record_file(folder), max_json_bytes));
    });
}

void ensure_dataset(const fs::path& folder, const std::string& name, const std::string& ids_hash,
                    const Dataset& dataset) {
    std::error_code error;
    // A finished description is only read: a second model may then be written where the data set's
    // folder is read-only.
    if (fs::exists(record_file(folder), error))
        return check_same(read_dataset_record(folder), ids_hash, dataset, folder);
    const FileLock lock = wait_for_lock(folder / ".lock");
    if (fs::exists(record_file(folder), error))
        return check_same(read_dataset_record(folder), ids_hash, dataset, folder);
    remove_stale_temporaries(folder);
    write_items(dataset, items_file(folder));
    DatasetRecord record;
    record.name = name;
    record.root = dataset.root.empty() ? std::string()
                                       : fs::absolute(dataset.root).lexically_normal().string();
    record.rows = dataset.size();
    record.ids_hash = ids_hash;
    record.labels_hash = labels_hash(dataset);
    record.items_bytes = fs::file_size(items_file(folder));
    record.items_xxh128 = hash_file(items_file(folder));
    record.classes = dataset.classes;
    write_file_atomically(record_file(folder), dataset_text(record));
}

Dataset load_dataset(const fs::path& folder) {
    DatasetRecord record = read_dataset_record(folder);
    const fs::path items = items_file(folder);
    return with_note(fmt::format("reading `{}`", items.string()), [&] {
        std::error_code error;
        const std::uint64_t bytes = fs::file_size(items, error);
        if (error) refuse(fmt::format("`{}` cannot be read: {}", items.string(), error.message()));
        if (bytes != record.items_bytes || hash_file(items) != record.items_xxh128) {
            refuse(fmt::format("`{}` is not the file that dataset.json describes ({} bytes, {})",
                               items.string(), record.items_bytes, record.items_xxh128));
        }
        Dataset dataset = read_items_csv(items);
        dataset.name = std::move(record.name);
        dataset.root = std::move(record.root);
        dataset.classes = std::move(record.classes);
        if (dataset.size() != record.rows || dataset.ids_fingerprint() != record.ids_hash) {
            refuse(
                fmt::format("`{}` holds {} items with ids hash `{}`; dataset.json says {} and `{}`",
                            items.string(), dataset.size(), dataset.ids_fingerprint(), record.rows,
                            record.ids_hash));
        }
        return dataset;
    });
}

}  // namespace assay::store
