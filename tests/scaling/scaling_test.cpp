// Ten times as many parts must take about ten times the time and memory. So code that does more
// work for each part is found here, before a user has a hundred times as many parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cases.h"
#include "in_child.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The allowed factor beyond ten for ten times as many parts. If tables outgrow the caches, a part
/// costs up to twice as much. In a quadratic reader, it costs ten times as much.
constexpr double leeway = 3;
/// Below this cost, that of the process itself is larger than that of the parts.
constexpr double least_seconds = 0.004, least_mebibytes = 1;

struct Costs {
    Cost tenth, whole;
};

/// Empty for none.
std::string growth_problem(const Costs& costs) {
    const double seconds = 10 * leeway * std::max(costs.tenth.seconds, least_seconds);
    const double mebibytes = 10 * leeway * std::max(costs.tenth.mebibytes, least_mebibytes);
    if (costs.whole.seconds > seconds)
        return "takes " + std::to_string(costs.whole.seconds) + " s, a tenth of it " +
               std::to_string(costs.tenth.seconds) + " s";
    if (costs.whole.mebibytes > mebibytes)
        return "takes " + std::to_string(costs.whole.mebibytes) + " MiB, a tenth of it " +
               std::to_string(costs.tenth.mebibytes) + " MiB";
    return "";
}

TEST(Growth, ALinearReaderPassesAndAQuadraticOneDoesNot) {
    EXPECT_EQ(growth_problem({{0.01, 2}, {0.1, 20}}), "");
    EXPECT_EQ(growth_problem({{0.0001, 0}, {0.1, 20}}), "");
    EXPECT_NE(growth_problem({{0.01, 2}, {1, 20}}), "");
    EXPECT_NE(growth_problem({{0.01, 2}, {0.1, 200}}), "");
}

TEST(Growth, IsMeasured) {
    // Searches each part among all parts, which a reader must not do.
    const auto quadratic = [](std::size_t n) {
        return in_child([n] {
            volatile std::size_t found = 0;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) found = found + (i == j ? 1 : 0);
            }
        });
    };
    const auto tenth = quadratic(1'500), whole = quadratic(15'000);
    ASSERT_TRUE(tenth && whole);
    EXPECT_NE(growth_problem({*tenth, *whole}), "");
    const auto memory = in_child([] {
        std::string large(std::size_t{64} << 20, 'x');
        volatile char last = large.back();
        (void)last;
    });
    ASSERT_TRUE(memory);
    EXPECT_GT(memory->mebibytes, 60);
    EXPECT_LT(memory->mebibytes, 80);
    EXPECT_FALSE(in_child([] { throw std::runtime_error("on purpose"); }));
}

class Scaling : public ::testing::TestWithParam<ScalingCase> {
protected:
    /// Returns nothing if the measurement fails.
    std::optional<Cost> cost(std::size_t n) const {
        const Scratch scratch(fs::is_directory("/dev/shm") ? "/dev/shm"
                                                           : fs::temp_directory_path());
        if (!in_child([&] { GetParam().make(n, scratch.path()); })) return std::nullopt;
        return in_child([&] { GetParam().read(n, scratch.path()); });
    }
};

TEST_P(Scaling, CostGrowsWithTheParts) {
    // On a busy machine, one of three measurements may be too high, but never too low.
    std::string problem;
    for (int attempt = 0; attempt < 3; ++attempt) {
        problem.clear();
        std::size_t n = GetParam().smallest;
        std::optional<Cost> before = cost(n);
        ASSERT_TRUE(before);
        for (int i = 0; i < 2 && problem.empty(); ++i) {
            n *= 10;
            const std::optional<Cost> now = cost(n);
            ASSERT_TRUE(now);
            problem = growth_problem({*before, *now});
            if (!problem.empty()) problem = std::to_string(n) + " parts: " + problem;
            before = now;
        }
        if (problem.empty()) {
            const double each = before->mebibytes * 1024 / static_cast<double>(n);
            std::printf("%zu parts: %.3f s, %.2f KiB each\n", n, before->seconds, each);
            EXPECT_LE(each, GetParam().kibibytes);
            return;
        }
    }
    FAIL() << problem;
}

INSTANTIATE_TEST_SUITE_P(Readers, Scaling, ::testing::ValuesIn(scaling_cases()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace assay
