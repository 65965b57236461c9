// Writes a store of made-up logits for the benchmarks: bench_make_store RUNS ROWS CLASSES [NAME
// [SKILL]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/store/prediction_store.h"
#include "core/random.h"

int main(int count, char** words) {
    using namespace assay;
    if (count < 4) {
        std::fputs("bench_make_store RUNS ROWS CLASSES [NAME [SKILL]]\n", stderr);
        return 2;
    }
    try {
        const std::string name = count > 4 ? words[4] : "model";
        const double skill = count > 5 ? std::strtod(words[5], nullptr) : 4.5;
        StoreSpec spec;
        spec.rows = std::strtoull(words[2], nullptr, 10);
        spec.classes = static_cast<std::uint32_t>(std::strtoul(words[3], nullptr, 10));
        spec.dataset_name = "made-up";
        spec.model_name = name;
        spec.model_hash = "xxh128:00000000000000000000000000000001";
        spec.provenance_json = "{}";
        Dataset dataset;
        dataset.name = spec.dataset_name;
        std::vector<std::string> ids;
        for (std::uint32_t c = 0; c < spec.classes; ++c)
            ids.push_back(fmt::format("class{:04}", c));
        dataset.classes = ClassList(ids);
        const auto label_of = [&](std::uint64_t row) {
            return static_cast<std::int32_t>(row * spec.classes / spec.rows);
        };
        for (std::uint64_t i = 0; i < spec.rows; ++i) {
            const std::int32_t label = label_of(i);
            dataset.ids.append(
                fmt::format("{}/{:08}.JPEG", ids[static_cast<std::size_t>(label)], i));
            dataset.labels.append(std::span(&label, 1));
        }
        spec.ids_hash = dataset.ids_fingerprint();
        StoreWriter writer = StoreWriter::open(words[1], spec, dataset);
        std::vector<float> scores;
        for (std::size_t s = 0; s < writer.shards(); ++s) {
            scores.assign(std::size_t{writer.rows_in(s)} * spec.classes, 0);
            for (std::uint32_t r = 0; r < writer.rows_in(s); ++r) {
                const std::uint64_t row = writer.first_row(s) + r;
                RandomStream random(1, name, row);
                float* const x = scores.data() + std::size_t{r} * spec.classes;
                // Sums of uniform numbers are nearly normal, and are drawn twenty times faster.
                for (std::uint32_t c = 0; c < spec.classes; ++c) {
                    const std::uint64_t bits = random.next_u64();
                    const auto part = [bits](int k) {
                        return static_cast<double>((bits >> (16 * k)) & 0xFFFF) / 65536;
                    };
                    x[c] = static_cast<float>(1.73 * (part(0) + part(1) + part(2) + part(3) - 2));
                }
                x[label_of(row)] += static_cast<float>(skill + 1.5 * random.normal());
            }
            const std::vector<RowState> states(writer.rows_in(s), RowState::ok);
            writer.write_shard(s, scores, states, {}, "");
        }
        writer.finish();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_make_store: %s\n", error.what());
        return 2;
    }
    return 0;
}
