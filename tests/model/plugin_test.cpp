// Finding the plug-in, and refusing one of another build. None is opened successfully here, because
// it stays open until the process ends.
#include "model/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "assay/error.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string refusal(const std::filesystem::path& folder) {
    setenv("ASSAY_PLUGIN_DIR", folder.c_str(), 1);
    // Uses this process, because the program for other processes is next to the plug-in, and may be
    // missing as well.
    const ClassifierOptions inside = {"cpu", Isolation::off};
    return message_of([&] { open_classifier(ModelSpec(), inside); }, ErrorCode::usage);
}

TEST(Plugin, Absent) {
    const Scratch empty;
    const std::string message = refusal(empty.path());
#ifdef ASSAY_HAS_TORCH
    EXPECT_THAT(message,
                HasSubstr("libassay_torch.so, which is in none of: " + empty.path().string()));
#else
    EXPECT_THAT(message, HasSubstr("no LibTorch plug-in"));
#endif
}

TEST(Plugin, NotALibrary) {
    const Scratch scratch;
    std::ofstream(scratch / kPluginFile) << "text";
    EXPECT_THAT(refusal(scratch.path()), HasSubstr("cannot be opened"));
}

TEST(Plugin, SomeOtherLibrary) {
    const Scratch scratch;
    std::filesystem::copy_file(OTHER_LIBRARY, scratch / kPluginFile);
    EXPECT_THAT(refusal(scratch.path()), HasSubstr("not a plug-in of this version"));
}

TEST(Plugin, OtherBuild) {
    const Scratch scratch;
    std::filesystem::copy_file(OTHER_BUILD, scratch / kPluginFile);
    EXPECT_THAT(refusal(scratch.path()), HasSubstr("built for \"assay 0.0.0, C++ ABI 1, 1/2/3\""));
    EXPECT_THAT(refusal(scratch.path()), HasSubstr(plugin_build()));
}

TEST(Plugin, BuildNamesReleaseAndSizes) {
    EXPECT_THAT(plugin_build(), HasSubstr(std::string("assay ") + version));
    EXPECT_THAT(plugin_build(), HasSubstr(std::to_string(sizeof(ModelSpec)) + "/"));
}

}  // namespace
}  // namespace assay
