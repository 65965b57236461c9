// assay version reports the build, and the libraries that it finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "assay/version.h"
#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string first_line = std::string("assay ") + version + "\n";

TEST(Version, TheFirstLineIsTheVersionAlone) {
    for (const char* typed : {"--version", "-V", "version"}) {
        const Outcome outcome = assay_run({typed});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.out.substr(0, first_line.size()), first_line);
        for (const char* part : {"commit", "compiler", "SIMD", "models", "MPI", "CUDA"})
            EXPECT_THAT(outcome.out, HasSubstr(std::string("\n") + part + " ")) << typed;
    }
}

TEST(Version, SaysHowItWasBuilt) {
    const json about = json::parse(assay_run({"version", "--json"}).out);
    EXPECT_EQ(about.at("schema"), "assay.version/1");
    EXPECT_EQ(about.at("version"), version);
    EXPECT_TRUE(
        std::regex_match(about.at("commit").get<std::string>(), std::regex("([0-9a-f]{12}\\+?)?")))
        << about;
    EXPECT_TRUE(std::regex_match(about.at("compiler").get<std::string>(),
                                 std::regex("(GCC|Clang) [0-9]+\\.[0-9]+\\.[0-9]+")))
        << about;
    EXPECT_NE(about.at("build_type"), "");
    EXPECT_TRUE(about.at("cuda").is_null());  // devices were not requested
    const json plain = json::parse(assay_run({"version", "--json"}, {"ASSAY_SIMD=none"}).out);
    EXPECT_EQ(plain.at("instructions"), "none");
}

// The list of plug-ins only reads their files. None of these can be opened.
TEST(Version, FindsPlugInsWithoutOpeningThem) {
    const Scratch folder;
    const std::string torch = folder / "libassay_torch.so";
    const std::vector<std::string> here = {"ASSAY_PLUGIN_DIR=" + folder.path().string()};
    const auto about = [&] { return json::parse(assay_run({"version", "--json"}, here).out); };

    EXPECT_TRUE(about().at("framework").is_null());
    EXPECT_EQ(about().at("mpi"), json::array());
    const std::string said = assay_run({"version"}, here).out;
    EXPECT_THAT(said, HasSubstr("\nmodels     none"));
    EXPECT_THAT(said, HasSubstr("\nNo model files: "));
    EXPECT_THAT(said, HasSubstr("\nMPI        no plug-in"));

    write_file_atomically(torch, "no mark");
    EXPECT_EQ(about().at("framework").at("is"), "?");
    using namespace std::string_literals;
    write_file_atomically(torch,
                          "ELF\0 assay_torch_plugin runs models by LibTorch 9.8.7, ONNX\n\0more"s);
    write_file_atomically(folder / "libassay_mpi.so", "");
    write_file_atomically(folder / "libassay_mpich.so", "");
    EXPECT_EQ(about().at("framework"), (json{{"is", "LibTorch 9.8.7, ONNX"},
                                             {"file", torch},
                                             {"libtorch", nullptr},
                                             {"problem", nullptr}}));
    ASSERT_EQ(about().at("mpi").size(), 2U);
    EXPECT_EQ(about().at("mpi")[0].at("is"), "of this site");
    EXPECT_EQ(about().at("mpi")[1].at("is"), "MPICH");
    EXPECT_THAT(assay_run({"version"}, here).out, HasSubstr("LibTorch 9.8.7, ONNX"));

    // To list devices, the program must open the plug-in. If that fails, it says why.
    const Outcome asked = assay_run({"version", "--devices"}, here);
    EXPECT_EQ(asked.status, 2);
    EXPECT_EQ(asked.out, "");
    EXPECT_THAT(asked.err, HasSubstr("cannot be opened"));
}

}  // namespace
}  // namespace assay
