// Every metric of the table gives the same report on 1, 2, 3 and 7 ranks. With small stores, some
// ranks have no item.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "assay/error.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

/// Label sets with no, one or several labels, and an attribute.
Made mixed(std::size_t rows) {
    Made made = made_up(rows, 11, 7);
    for (std::size_t i = 0; i < rows; ++i) {
        if (i % 10 == 3) made.labels[i] = {};
        if (i % 4 == 1) made.labels[i] = {1, 2, static_cast<std::int32_t>(3 + i % 8)};
        made.group.push_back(i % 3 == 0 ? "night" : "day");
    }
    return made;
}

ScoreOptions every_metric() {
    ScoreOptions options;
    for (const MetricFacts& facts : metric_table())
        options.metrics.push_back(request_of(facts.name));
    options.resampling.replicates = 50;
    options.subgroup = "group";
    options.null_draws = 3;
    options.threads = 2;
    return options;
}

TEST(Ranks, EveryMetricOfAStoreIsThatOfOneRank) {
    Scratch folder;
    for (const std::size_t rows : {1U, 5U, 700U, 3001U}) {
        Made made = mixed(rows);
        made.dataset = "val" + std::to_string(rows);
        const auto store = save(folder, made, "net");
        const ScoreOptions options = every_metric();
        const ScoreReport report = score_store(store, options, *self_comm());
        EXPECT_GE(report.measurements.size(), metric_table().size());
        const std::string expected = to_json(report).dump();
        for (const int ranks : {1, 2, 3, 7}) {
            run_thread_ranks(ranks, [&](Comm& comm) {
                if (to_json(score_store(store, options, comm)).dump() != expected) {
                    throw std::runtime_error(std::to_string(rows) + " rows: rank " +
                                             std::to_string(comm.rank()) + " of " +
                                             std::to_string(ranks) + " differs");
                }
            });
        }
    }
}

TEST(Ranks, AMissingAttributeIsTheSameErrorOnAll) {
    Scratch folder;
    const auto store = save(folder, mixed(30), "net");
    ScoreOptions options;
    options.subgroup = "weather";
    const auto message = [&](Comm& comm) -> std::string {
        return message_of([&] { score_store(store, options, comm); }, ErrorCode::usage);
    };
    const std::string expected = message(*self_comm());
    EXPECT_NE(expected, "");
    run_thread_ranks(3, [&](Comm& comm) {
        if (message(comm) != expected) throw std::runtime_error("another error");
    });
}

}  // namespace
}  // namespace assay
