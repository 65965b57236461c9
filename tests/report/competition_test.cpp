// The part of a report about a competition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/mad/competition.h"
#include "assay/mad/rank.h"
#include "mad/small_pool.h"
#include "made_document.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Three classifiers of eight images, which agree on none.
class ReportedCompetition : public testing::Test {
protected:
    ReportedCompetition() {
        mad::InitOptions options;
        for (int c = 0; c < 3; ++c)
            options.stores.push_back(
                mad::write_small_store(
                    folder_ / "runs", std::string(1, static_cast<char>('a' + c)),
                    std::vector<mad::MadePrediction>(8, {.label = c, .probability = 0.999}))
                    .string());
        std::ofstream(folder_ / "hierarchy.csv") << mad::small_hierarchy();
        options.hierarchy = (folder_ / "hierarchy.csv").string();
        options.settings.threshold = 0.5;
        options.settings.rule.k = 2;
        mad::Competition::create(folder_ / "mad", options);
    }
    Scratch folder_;
};

TEST_F(ReportedCompetition, IsToldAsFarAsItIs) {
    const ReportDocument document = document_of(report_options({folder_ / "mad"}));
    EXPECT_TRUE(document.partial);
    EXPECT_EQ(document.json["results"].size(), 2U);
    EXPECT_EQ(result_of(document.json, "assay.mad_status/1"),
              report_of(mad::status_of(mad::Competition::open(folder_ / "mad"))).result);
    EXPECT_EQ(result_of(document.json, "assay.mad/1")["schema"], "assay.mad/1");
    EXPECT_THAT(document.json["left_out"].dump(), HasSubstr("have no ranking:"));
}

}  // namespace
}  // namespace assay
