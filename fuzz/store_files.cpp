// A store in which one file has any bytes, recorded with their size and checksum. The first byte
// chooses the file: the shard of full rows ('0'), that of the best entries ('1'), or items.csv
// ('2'). The result is rows or an Error, and no class is outside of the list.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "assay/store/verify.h"
#include "core/file.h"
#include "core/hash.h"
#include "scratch.h"
#include "store/dataset_files.h"
#include "store/layout.h"
#include "store/record.h"

namespace {

namespace fs = std::filesystem;
using namespace assay;

constexpr std::uint32_t rows = 6, classes = 4;

Dataset items() {
    Dataset dataset;
    dataset.name = "val";
    for (std::uint32_t i = 0; i < rows; ++i) {
        dataset.ids.append("a/" + std::to_string(i) + ".jpg");
        const auto label = static_cast<std::int32_t>(i % classes);
        dataset.labels.append(std::span(&label, 1));
    }
    dataset.classes = ClassList({"c0", "c1", "c2", "c3"});
    return dataset;
}

fs::path made_store(const fs::path& runs, StorageFormat storage) {
    StoreSpec spec;
    spec.dataset_name = "val";
    spec.model_name = std::string(name_of(storage));
    spec.rows = rows;
    spec.classes = classes;
    spec.storage = storage;
    spec.top_k = storage == StorageFormat::top_k ? 2 : 0;
    spec.shard_rows = rows;
    spec.batch_size = 1;
    StoreWriter writer = StoreWriter::open(runs, spec, items());
    const std::vector<float> scores(rows * classes, 0.5F);
    writer.write_shard(0, scores, std::vector<RowState>(rows, RowState::ok), {}, "");
    writer.finish();
    return writer.folder();
}

struct World {
    fs::path runs = fuzz::scratch_folder("store");
    fs::path full = made_store(runs, StorageFormat::full_f32);
    fs::path best = made_store(runs, StorageFormat::top_k);
    std::string items_csv = read_text(runs / "val/items.csv");
    std::string dataset_json = read_text(runs / "val/dataset.json");
};

const World& world() {
    static const World made;
    return made;
}

void put(const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string hash_of(std::string_view bytes) {
    return hash_text(bytes);
}

void use(const fs::path& folder) {
    fuzz::attempt([&] {
        const PredictionStore store = PredictionStore::open(folder);
        (void)store.dataset();
        const RowReader reader(store);
        RowPrediction out;
        std::vector<RankedClass> top;
        for (std::uint64_t row = 0; row < rows; ++row) {
            const std::int32_t valid = 1;
            if (reader.read(row, {&valid, 1}, out) == RowStatus::ok && out.predicted >= 0 &&
                static_cast<std::uint32_t>(out.predicted) >= classes)
                std::abort();
            reader.top(row, classes, top);
            for (const RankedClass& best : top) {
                if (best.cls < 0 || static_cast<std::uint32_t>(best.cls) >= classes) std::abort();
            }
        }
    });
    fuzz::attempt([&] { (void)verify_store(folder); });
}

/// The first file of the shard, and a record of it.
void with_shard(const fs::path& folder, std::string_view bytes) {
    fuzz::attempt([&] {
        const StoreSpec spec = PredictionStore::open(folder).spec();
        const fs::path record_file = store::record_path(folder, 0);
        const std::string kept_record = read_text(record_file);
        store::ShardRecord record = store::parse_record(kept_record, spec, 0);
        const fs::path file = store::shards_folder(folder) / record.files.front().name;
        const std::string kept = read_text(file);
        record.files.front().bytes = bytes.size();
        record.files.front().xxh128 = hash_of(bytes);
        put(file, bytes);
        put(record_file, store::record_text(record, spec));
        use(folder);
        put(file, kept);
        put(record_file, kept_record);
    });
}

void with_items(std::string_view bytes) {
    const fs::path folder = world().runs / "val";
    fuzz::attempt([&] {
        store::DatasetRecord record = store::parse_dataset_record(world().dataset_json);
        record.items_bytes = bytes.size();
        record.items_xxh128 = hash_of(bytes);
        put(folder / "items.csv", bytes);
        put(folder / "dataset.json", store::dataset_text(record));
        fuzz::attempt([&] { (void)store::load_dataset(folder); });
        use(world().full);
    });
    put(folder / "items.csv", world().items_csv);
    put(folder / "dataset.json", world().dataset_json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch ((data[0] + 256U - '0') % 3) {
        case 0:
            with_shard(world().full, bytes);
            break;
        case 1:
            with_shard(world().best, bytes);
            break;
        default:
            with_items(bytes);
    }
    return 0;
}
