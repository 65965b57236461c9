// Measures reading a store compared with reading plain memory, writing a store, and importing.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include <fmt/format.h>

#include "assay/store/import.h"
#include "assay/store/prediction_store.h"
#include "containers/npy.h"

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t classes = 1000;
constexpr std::uint64_t rows = 50'000;

fs::path folder() {
    static const fs::path made = [] {
        const fs::path path = fs::temp_directory_path() / "assay-store-bench";
        fs::remove_all(path);
        fs::create_directories(path);
        return path;
    }();
    return made;
}

float score(std::uint64_t row, std::uint32_t c) {
    const std::uint64_t mixed = (row * 1000003 + c * 7919 + 12345) * 0x9e3779b97f4a7c15ULL;
    return static_cast<float>(static_cast<int>(mixed >> 56) - 128) / 8.0F;
}

const std::vector<float>& all_scores() {
    static const std::vector<float> scores = [] {
        std::vector<float> made;
        made.reserve(rows * classes);
        for (std::uint64_t r = 0; r < rows; ++r) {
            for (std::uint32_t c = 0; c < classes; ++c) made.push_back(score(r, c));
        }
        return made;
    }();
    return scores;
}

assay::Dataset dataset() {
    assay::Dataset made;
    for (std::uint64_t r = 0; r < rows; ++r) {
        made.ids.append(fmt::format("n{:08}", r));
        made.labels.append({});
    }
    return made;
}

fs::path write_store(assay::StorageFormat storage, const std::string& name) {
    assay::StoreSpec spec;
    spec.dataset_name = "val";
    spec.model_name = name;
    spec.rows = rows;
    spec.classes = classes;
    spec.storage = storage;
    spec.top_k = storage == assay::StorageFormat::top_k ? 5 : 0;
    auto writer = assay::StoreWriter::open(folder(), spec, dataset());
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        const std::vector<assay::RowState> states(writer.rows_in(s), assay::RowState::ok);
        writer.write_shard(
            s,
            std::span(all_scores()).subspan(writer.first_row(s) * classes, states.size() * classes),
            states, {}, "");
    }
    writer.finish();
    return writer.folder();
}

fs::path store_of(assay::StorageFormat storage) {
    const std::string name = fmt::format("read_{}", name_of(storage));
    return fs::exists(folder() / "val" / name) ? folder() / "val" / name
                                               : write_store(storage, name);
}

void write(benchmark::State& state) {
    const auto storage = static_cast<assay::StorageFormat>(state.range(0));
    all_scores();
    for (auto _ : state) {
        state.PauseTiming();
        fs::remove_all(folder() / "val" / "write");
        state.ResumeTiming();
        write_store(storage, "write");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows));
    state.SetLabel(std::string(name_of(storage)));
}
BENCHMARK(write)->DenseRange(0, 3)->Unit(benchmark::kMillisecond)->MinTime(2)->UseRealTime();

/// Opens the store, checks its checksums and sums all scores, as the first pass of a metric does.
void read(benchmark::State& state) {
    const auto storage = static_cast<assay::StorageFormat>(state.range(0));
    const fs::path path = store_of(storage);
    for (auto _ : state) {
        const auto store = assay::PredictionStore::open(path);
        std::vector<float> buffer(std::size_t{64} * classes);
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const auto shard = store.shard(s);
            for (std::uint32_t r = 0; r < shard.rows; r += 64) {
                const std::uint32_t n = std::min(64U, shard.rows - r);
                shard.read_rows(r, n, std::span(buffer).first(std::size_t{n} * classes));
                benchmark::DoNotOptimize(buffer.data());
            }
        }
    }
    state.SetBytesProcessed(
        static_cast<std::int64_t>(state.iterations() * rows * classes * sizeof(float)));
    state.SetLabel(std::string(name_of(storage)) + ", bytes as floats");
}
BENCHMARK(read)->DenseRange(0, 1)->Unit(benchmark::kMillisecond)->UseRealTime();

void copy_memory(benchmark::State& state) {
    const std::vector<float>& from = all_scores();
    std::vector<float> buffer(std::size_t{64} * classes);
    for (auto _ : state) {
        for (std::size_t at = 0; at + buffer.size() <= from.size(); at += buffer.size()) {
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), buffer.size(),
                        buffer.begin());
            benchmark::DoNotOptimize(buffer.data());
        }
    }
    state.SetBytesProcessed(
        static_cast<std::int64_t>(state.iterations() * rows * classes * sizeof(float)));
}
BENCHMARK(copy_memory)->Unit(benchmark::kMillisecond)->UseRealTime();

void import_again(benchmark::State& state, const fs::path& file) {
    for (auto _ : state) {
        state.PauseTiming();
        fs::remove_all(folder() / "imported");
        state.ResumeTiming();
        assay::ImportOptions options;
        options.dataset_name = "imported";
        assay::import_predictions(file, folder(), options);
    }
}

void import_array(benchmark::State& state) {
    const bool fortran = state.range(0) != 0;
    const fs::path file = folder() / (fortran ? "fortran.npy" : "c.npy");
    const std::uint64_t shape[] = {fortran ? classes : rows, fortran ? rows : classes};
    if (!fs::exists(file)) {
        std::ofstream out(file, std::ios::binary);
        const std::uint64_t as_numpy[] = {rows, classes};
        out << assay::npy_header("<f4", as_numpy, fortran);
        std::vector<float> line(shape[1]);
        for (std::uint64_t a = 0; a < shape[0]; ++a) {
            for (std::uint64_t b = 0; b < shape[1]; ++b) {
                line[b] = fortran ? score(b, static_cast<std::uint32_t>(a))
                                  : score(a, static_cast<std::uint32_t>(b));
            }
            out.write(reinterpret_cast<const char*>(line.data()),
                      static_cast<std::streamsize>(line.size() * sizeof(float)));
        }
    }
    import_again(state, file);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows));
    state.SetLabel(fortran ? "f32, Fortran order" : "f32, C order");
}
BENCHMARK(import_array)->DenseRange(0, 1)->Unit(benchmark::kMillisecond)->MinTime(2)->UseRealTime();

void import_csv(benchmark::State& state) {
    constexpr std::uint64_t lines = 5000;
    const fs::path file = folder() / "matrix.csv";
    if (!fs::exists(file)) {
        std::string text = "id";
        for (std::uint32_t c = 0; c < classes; ++c) text += fmt::format(",c{}", c);
        for (std::uint64_t r = 0; r < lines; ++r) {
            text += fmt::format("\n{}", r);
            for (std::uint32_t c = 0; c < classes; ++c)
                text += fmt::format(",{:.6f}", score(r, c) / 3);
        }
        std::ofstream(file) << text << "\n";
    }
    import_again(state, file);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * lines));
}
BENCHMARK(import_csv)->Unit(benchmark::kMillisecond)->MinTime(2)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
