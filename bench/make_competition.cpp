// Begins a made-up competition for the benchmarks: bench_make_competition FOLDER IMAGES CLASSIFIERS
//
// Predictions as in mad_bench.cpp: 80 % correct, a mistake any of ImageNet's other classes. The
// stores (FOLDER/runs) may go once FOLDER/mad is there.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/mad/competition.h"
#include "assay/store/prediction_store.h"
#include "core/random.h"

namespace {

using namespace assay;

void write_store(const std::filesystem::path& runs, const Dataset& dataset, std::uint64_t number) {
    StoreSpec spec;
    spec.rows = dataset.size();
    spec.classes = static_cast<std::uint32_t>(dataset.classes.size());
    spec.dataset_name = dataset.name;
    spec.model_name = fmt::format("net{:02}", number);
    spec.kind = ScoreKind::probabilities;
    spec.storage = StorageFormat::label;
    spec.ids_hash = dataset.ids_fingerprint();
    spec.model_hash = fmt::format("xxh128:{:032x}", number);
    spec.provenance_json = "{}";
    StoreWriter writer = StoreWriter::open(runs, spec, dataset);
    RandomStream truths(1, "bench truths"), random(1, "bench predictions", number);
    std::vector<TopEntry> entries;
    std::vector<RowState> states;
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        entries.clear();
        states.assign(writer.rows_in(s), RowState::ok);
        for (std::uint32_t r = 0; r < writer.rows_in(s); ++r) {
            const auto truth = static_cast<std::int32_t>(truths.below(spec.classes));
            const std::uint32_t draw = random.next_u32(), second = random.next_u32();
            const bool correct = (draw & 0xFFFF) < 52'429;
            // Confident are 60 % of the correct predictions and 20 % of the others.
            const bool confident = (second & 0xFF) < (correct ? 154U : 51U);
            const std::uint32_t level =
                confident ? 160 + (second >> 8) % 41 : 1 + (second >> 8) % 159;
            entries.push_back({correct ? truth : static_cast<std::int32_t>((draw >> 16) % 1000),
                               static_cast<float>(level) / 200.0F});
        }
        writer.write_entries(s, entries, states, {}, "");
    }
    writer.finish();
}

}  // namespace

int main(int count, char** words) {
    if (count != 4) {
        std::fputs("bench_make_competition FOLDER IMAGES CLASSIFIERS\n", stderr);
        return 2;
    }
    try {
        const std::filesystem::path folder = words[1];
        const std::uint64_t images = std::strtoull(words[2], nullptr, 10);
        Dataset dataset;
        dataset.name = "made-up";
        dataset.classes = imagenet_classes();
        for (std::uint64_t i = 0; i < images; ++i) {
            dataset.ids.append(fmt::format("crawl/{:09}.jpg", i));
            dataset.labels.append({});
        }
        for (std::uint64_t c = 0; c < std::strtoull(words[3], nullptr, 10); ++c)
            write_store(folder / "runs", dataset, c);
        mad::InitOptions options;
        options.stores = {(folder / "runs").string()};
        mad::Competition::create(folder / "mad", options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
