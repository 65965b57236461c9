#include <algorithm>
#include <unordered_set>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/study.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/text.h"
#include "store/same_data.h"

namespace assay::replication {
namespace {

constexpr std::size_t max_empty = 16,
                      small_table = 1000000;  ///< entries of a table for each row of its file

std::uint8_t hit_value(const CsvReader& reader, std::size_t column) {
    const std::string_view text = trimmed(reader[column]);
    if (text == "1" || text == "true" || text == "True") return 1;
    if (text == "0" || text == "false" || text == "False") return 0;
    if (text.empty()) return Hits::unknown;
    throw reader.error(fmt::format("hit `{}` of `{}` is neither 0 nor 1", shortened(text),
                                   shortened(reader.columns()[column])));
}

// Reads (image, classifier, hit). The table grows in both directions, so pairs come first.
Hits read_long(CsvReader& reader, std::size_t image, std::size_t classifier, std::size_t hit,
               Hits hits) {
    struct Entry {
        std::uint32_t image, classifier;
        std::uint8_t hit;
    };
    Names images, classifiers;
    std::vector<Entry> entries;
    while (reader.next()) {
        entries.push_back({images.number(trimmed(reader[image])),
                           classifiers.number(trimmed(reader[classifier])),
                           hit_value(reader, hit)});
    }
    hits.classifiers = classifiers.all();
    for (const std::string& text : images.all()) hits.images.append(text);
    const std::size_t width = classifiers.size();
    // A short file must not cause a large table. A real file has almost every pair.
    if (width != 0 && images.size() > (max_empty * entries.size() + small_table) / width) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: {} rows for {} images by {} classifiers: most hits are missing",
                        hits.source, entries.size(), images.size(), width));
    }
    hits.hit.assign(images.size() * width, Hits::unknown);
    std::vector<bool> seen(hits.hit.size(), false);
    for (const Entry& entry : entries) {
        const std::size_t place = entry.image * width + entry.classifier;
        if (seen[place]) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: image `{}` appears twice for classifier `{}`", hits.source,
                                    shortened(images[entry.image]),
                                    shortened(classifiers[entry.classifier])));
        }
        seen[place] = true;
        hits.hit[place] = entry.hit;
    }
    return hits;
}

}  // namespace

Hits read_hits_csv(const std::filesystem::path& path) {
    const std::string text = read_text(path, std::uint64_t{8} << 30);
    CsvReader reader(text, path.filename().string());
    Hits hits;
    hits.source = path.filename().string();
    const std::size_t image = reader.column({"image", "picture", "id", "path"});
    const auto classifier = reader.find_column({"classifier", "model"});
    if (classifier)
        return read_long(reader, image, *classifier, reader.column({"hit", "correct"}),
                         std::move(hits));

    std::vector<std::size_t> columns;
    std::unordered_set<std::string> names;
    for (std::size_t c = 0; c < reader.columns().size(); ++c) {
        const std::string name(trimmed(reader.columns()[c]));
        if (c == image || name == "label" || name == "class") continue;
        if (!names.insert(name).second) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: two columns `{}`", hits.source, shortened(name)));
        }
        columns.push_back(c);
        hits.classifiers.push_back(name);
    }
    if (columns.empty()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no classifier; besides `image`, add a column per classifier "
                                "(0 or 1), or use the columns image, classifier, hit",
                                hits.source));
    }
    while (reader.next()) {
        hits.images.append(trimmed(reader[image]));
        for (const std::size_t c : columns) hits.hit.push_back(hit_value(reader, c));
    }
    return hits;
}

namespace {

/// Each hit is known only on the rank that read its shard. Elsewhere it is Hits::unknown, the
/// largest value.
void merge_ranks(Comm& comm, std::vector<std::uint8_t>& hits) {
    if (comm.size() == 1) return;
    for (const auto& part : all_gather<std::uint8_t>(comm, hits)) {
        for (std::size_t i = 0; i < hits.size(); ++i) hits[i] = std::min(hits[i], part[i]);
    }
}

}  // namespace

Hits hits_of_stores(const std::filesystem::path& folder, int threads, Comm& comm) {
    const OpenedModels opened = open_models({folder});
    const std::vector<PredictionStore>& stores = opened.stores;
    for (const PredictionStore& store : stores)
        store::require_same(stores.front(), store, {.name = true});
    Hits hits;
    if (!opened.skipped.empty()) hits.warnings.push_back(folder.string() + ": " + opened.skipped);
    for (const PredictionStore& store : stores) {
        if (std::string writing = writer_warning(store); !writing.empty())
            hits.warnings.push_back(std::move(writing));
    }
    hits.source = folder.string();
    const Dataset& dataset = stores.front().dataset();
    hits.images = dataset.ids;
    const std::size_t width = stores.size();
    hits.hit.assign(dataset.size() * width, Hits::unknown);
    for (const PredictionStore& store : stores) hits.classifiers.push_back(store.spec().model_name);
    const auto read_store = [&](std::size_t m) {
        const PredictionStore& store = stores[m];
        const LabelSets& labels = store.dataset().labels;
        const RowReader reader(store);
        parallel_blocks(store.shards(), threads, [&](std::size_t s) {
            if ((m + s) % static_cast<std::size_t>(comm.size()) !=
                static_cast<std::size_t>(comm.rank()))
                return;
            const std::uint64_t first = s * std::uint64_t{store.spec().shard_rows};
            const std::uint64_t last =
                std::min<std::uint64_t>(first + store.spec().shard_rows, labels.size());
            RowPrediction row;
            for (std::uint64_t i = first; i < last; ++i) {
                const auto item = static_cast<std::size_t>(i);
                if (labels[item].empty() ||
                    reader.read(i, {}, row, RowReader::Detail::ranking) != RowStatus::ok)
                    continue;
                hits.hit[item * width + m] = labels.contains(item, row.predicted) ? 1 : 0;
            }
        });
    };
    agree(comm, [&] {
        for (std::size_t m = 0; m < width; ++m) read_store(m);
    });
    merge_ranks(comm, hits.hit);
    return hits;
}

Hits read_hits(const std::filesystem::path& path, int threads, Comm& comm) {
    return is_folder(path) ? hits_of_stores(path, threads, comm) : read_hits_csv(path);
}

}  // namespace assay::replication
