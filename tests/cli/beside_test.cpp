// Reading a store while another process writes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

/// Item i has class i % 2. Every third item is predicted incorrectly.
constexpr int beside_items = 1500;

double accuracy_of_first(int items) {
    return 1 - static_cast<double>((items + 2) / 3) / items;
}

void write_inputs(const fs::path& folder) {
    std::string scores = "path,cat,dog\n", items = "path,labels\n";
    for (int i = 0; i < beside_items; ++i) {
        const bool dog = (i % 2 == 1) != (i % 3 == 0);
        const std::string name = "p" + std::to_string(i) + ".png";
        scores += name + (dog ? ",-3,5\n" : ",5,-3\n");
        items += name + (i % 2 == 1 ? ",dog\n" : ",cat\n");
    }
    write_file_atomically(folder / "scores.csv", scores);
    write_file_atomically(folder / "items.csv", items);
    write_file_atomically(folder / "classes.txt", "cat\ndog\n");
}

std::vector<std::string> import_into(const fs::path& folder, const fs::path& runs) {
    return {ASSAY_PROGRAM,
            "import",
            folder / "scores.csv",
            "--items",
            folder / "items.csv",
            "--classes",
            folder / "classes.txt",
            "--dataset-name",
            "val",
            "--name",
            "m",
            "--kind",
            "logits",
            "--out",
            runs,
            "--shard-rows",
            "1",
            "--threads",
            "1",
            "-q"};
}

/// Each of at least 200 answers is for the whole store or, with a warning, for the stored items. Or
/// it says that there is no store yet.
TEST(BesideAWriter, ScoresAreThoseOfTheShardsThatAreThere) {
    Scratch scratch;
    write_inputs(scratch.path());
    const fs::path runs = scratch / "runs";
    std::map<int, int> statuses;
    int asked = 0;
    for (bool done = false; !done || asked < 200 || (statuses[3] <= 50 && asked < 5000);) {
        fs::remove_all(runs);
        Program writer(import_into(scratch.path(), runs));
        done = false;
        while (!done) {
            siginfo_t info{};
            ::waitid(P_PID, static_cast<id_t>(writer.pid()), &info, WEXITED | WNOHANG | WNOWAIT);
            done = info.si_pid == writer.pid();
            const Outcome scored = assay_run({"score", runs, "--json", "--metrics", "top1"});
            ++statuses[scored.status];
            ++asked;
            if (scored.status == 2) {
                EXPECT_THAT(scored.err, AnyOf(HasSubstr("no prediction store"),
                                              HasSubstr("not a folder of prediction stores"),
                                              HasSubstr("still being written")));
                continue;
            }
            ASSERT_THAT(scored.status, AnyOf(0, 3)) << scored.err;
            const json result = json::parse(scored.out), run = result.at("stores").at(0);
            const int there = run.at("counts").at("scored");
            EXPECT_EQ(run.at("counts").at("missing"), beside_items - there);
            EXPECT_EQ(scored.status, there == beside_items ? 0 : 3) << there;
            const json& value = result.at("measurements").at(0).at("value");
            if (there > 0) {
                // A folder listing may miss a shard that is written meanwhile, and show a later
                // one. So two items may differ. The check counts items, because rounded proportions
                // may differ by slightly more than 2 / n.
                const long correct = std::lround(value.get<double>() * there);
                EXPECT_LE(std::labs(correct - std::lround(accuracy_of_first(there) * there)), 2);
            }
            if (there > 0 && there < beside_items) {
                EXPECT_THAT(scored.err, AnyOf(HasSubstr("still being written by process " +
                                                        std::to_string(writer.pid())),
                                              HasSubstr("missing):")));
            }
        }
        EXPECT_EQ(writer.wait().status, 0);
    }
    EXPECT_GT(statuses[3], 50) << "most were asked while the store was written";
    EXPECT_EQ(assay_run({"score", runs, "--json"}).status, 0);
}

}  // namespace
}  // namespace assay
