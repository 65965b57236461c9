// Models in separate processes: equal bits, errors after crashes, clean-up. The fixtures are from
// make_models.py and make_programs.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "assay/model/model_spec.h"
#include "export_archives.h"
#include "images.h"
#include "message_of.h"
#include "model/isolated/supervised.h"
#include "scratch.h"
#include "until.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const ClassifierOptions isolated_options = {"cpu", Isolation::on};
const ClassifierOptions inside_options = {"cpu", Isolation::off};

/// The parent and the command of a process. The parent is 0 if the process no longer exists.
std::pair<pid_t, std::string> parent_and_name(const fs::path& process) {
    std::string line;
    std::getline(std::ifstream(process / "stat"), line);
    const std::size_t open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos) return {0, ""};
    return {std::stoi(line.substr(close + 4)), line.substr(open + 1, close - open - 1)};
}

/// The processes called assay-model whose parent is `parent`.
std::set<pid_t> assay_models_of(pid_t parent) {
    std::set<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const auto [its_parent, command] = parent_and_name(entry.path());
        if (its_parent == parent && command == "assay-model") found.insert(std::stoi(name));
    }
    return found;
}

/// The processes of this program's models.
std::set<pid_t> model_processes() {
    std::set<pid_t> found;
    for (const pid_t launcher : assay_models_of(::getpid())) found.merge(assay_models_of(launcher));
    return found;
}

TEST(Isolated, ModelsGiveTheSameBitsFactsAndErrors) {
    int opened = 0, refused = 0;
    for (const std::string name :
         {"cnn.pt", "vit.pt", "half.pt", "view.pt", "fixed_batch.pt", "auxiliary.pt", "argmax.pt",
          "state_dict.pt", "newer_missing.pt", "pt2_vit.pt2", "pt2_bytes.pt2",
          "pt2_fixed_batch.pt2", "pt2_dropout.pt2"}) {
        SCOPED_TRACE(name);
        std::unique_ptr<Classifier> inside;
        std::optional<Error> error;
        try {
            inside = open_classifier(fixture_spec(name), inside_options);
        } catch (const Error& met) {
            error = met;
        }
        if (error) {
            const Error same =
                error_of([&] { open_classifier(fixture_spec(name), isolated_options); });
            EXPECT_STREQ(same.what(), error->what());
            EXPECT_EQ(same.code(), error->code());
            ++refused;
            continue;
        }
        const auto isolated = open_classifier(fixture_spec(name), isolated_options);
        EXPECT_EQ(isolated->facts().classes, inside->facts().classes);
        EXPECT_EQ(isolated->facts().parameters, inside->facts().parameters);
        EXPECT_EQ(isolated->facts().fixed_batch, inside->facts().fixed_batch);
        EXPECT_EQ(isolated->facts().device, inside->facts().device);
        EXPECT_EQ(isolated->facts().framework, inside->facts().framework);
        EXPECT_EQ(isolated->facts().memory_format, inside->facts().memory_format);
        EXPECT_EQ(isolated->facts().notes, inside->facts().notes);
        for (const std::size_t n : {4, 1, 0, 9}) {
            const std::vector<float> want = run(*inside, n, 16), got = run(*isolated, n, 16);
            ASSERT_EQ(got.size(), want.size());
            EXPECT_TRUE(want.empty() ||
                        std::memcmp(got.data(), want.data(), want.size() * sizeof(float)) == 0);
        }
        ++opened;
    }
    EXPECT_GT(opened, 6);
    EXPECT_GT(refused, 2);
}

TEST(Isolated, SharedModelsGiveTheSameBits) {
    if (shared_data().empty()) GTEST_SKIP() << "the shared data is not beside the checkout";
    const auto sidecars = fs::path(ASSAY_SOURCE_DIR) / "examples/models";
    for (const char* name : {"mobilenet_v2_1.00_224.pt", "squeezenet_1.0_227.pt"}) {
        const ModelSpec spec = resolve_model(shared_data() / "models" / name, {}, sidecars);
        const auto side = static_cast<std::size_t>(spec.preprocess.height);
        const std::vector<float> want = run(*open_classifier(spec, inside_options), 3, side);
        EXPECT_EQ(run(*open_classifier(spec, isolated_options), 3, side), want) << name;
    }
}

TEST(Isolated, ManyCallersGetTheBitsOfOne) {
    const auto classifier = open_classifier(fixture_spec("vit.pt"), isolated_options);
    const std::vector<float> want = run(*classifier, 3, 16);
    std::array<std::vector<float>, 6> got;
    {
        std::vector<std::jthread> threads;
        for (auto& mine : got)
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i) mine = run(*classifier, 3, 16);
            });
    }
    for (const auto& mine : got) EXPECT_EQ(mine, want);
}

TEST(Isolated, GradientsAreTheSameBits) {
    const std::vector<float> input = images(3, 16);
    const std::vector<std::uint32_t> labels = {1, 0, 2}, targets = {0, 3, 4};
    for (const char* name : {"cnn.pt", "pt2_vit.pt2"}) {
        const auto inside = open_classifier(fixture_spec(name), inside_options);
        const auto isolated = open_classifier(fixture_spec(name), isolated_options);
        for (const Loss loss : {Loss::cross_entropy, Loss::targeted_dlr}) {
            const auto asked = [&](Classifier& classifier) {
                std::vector<float> scores(15), gradient(input.size());
                std::vector<double> losses(3);
                classifier.gradients({loss, input, labels,
                                      has_target(loss) ? std::span<const std::uint32_t>(targets)
                                                       : std::span<const std::uint32_t>()},
                                     {scores, losses, gradient});
                return std::tuple(scores, losses, gradient);
            };
            const auto want = asked(*inside);
            EXPECT_EQ(asked(*isolated), want) << name;
            EXPECT_NE(std::get<2>(want), std::vector<float>(input.size()));
        }
    }
    // An invalid request does not end the process.
    const auto classifier = open_classifier(fixture_spec("cnn.pt"), isolated_options);
    std::vector<float> scores(15), gradient(input.size());
    std::vector<double> losses(3);
    const std::vector<std::uint32_t> beyond = {1, 5, 2};
    EXPECT_THAT(message_of(
                    [&] {
                        classifier->gradients({Loss::margin, input, beyond, {}},
                                              {scores, losses, gradient});
                    },
                    ErrorCode::internal),
                HasSubstr("outside the model's classes"));
    EXPECT_EQ(run(*classifier, 2, 16).size(), 10U);
}

TEST(Isolated, AWrongInputIsRefusedAndTheNextIsComputed) {
    const auto classifier = open_classifier(fixture_spec("cnn.pt"), isolated_options);
    std::vector<float> out(10);
    EXPECT_EQ(error_of([&] { classifier->scores(images(1, 16), 2, out); }).code(),
              ErrorCode::internal);
    EXPECT_EQ(error_of([&] { classifier->scores(images(2, 16), 1, out); }).code(),
              ErrorCode::internal);
    EXPECT_EQ(run(*classifier, 2, 16).size(), 10U);
}

TEST(Isolated, ACrashWhileOpeningIsAnErrorThatNamesTheFile) {
    // The tuples are nested 300,000 times. LibTorch's destructors recurse and overflow the stack.
    const Scratch scratch;
    ModelSpec spec = fixture_spec("cnn.pt");
    spec.path = scratch / "deep.pt";
    write(spec.path, zipped({{"m/data.pkl", "\x80\x02)" + std::string(300'000, '\x85') + "."},
                             {"m/constants.pkl", "\x80\x02)."},
                             {"m/version", "3\n"},
                             {"m/code/x.py", ""}}));
    const std::string message =
        message_of([&] { open_classifier(spec, isolated_options); }, ErrorCode::bad_input);
    EXPECT_THAT(message, AllOf(HasSubstr(spec.path.string()), HasSubstr("signal 11"),
                               HasSubstr("Segmentation fault"), HasSubstr("the file is damaged")));
    // Other models are not affected.
    EXPECT_EQ(run(*open_classifier(fixture_spec("cnn.pt"), isolated_options), 1, 16).size(), 5U);
}

TEST(Isolated, MutatedArchivesThatCrashTheFrameworkAreErrors) {
    if (shared_data().empty()) GTEST_SKIP() << "the shared data is not beside the checkout";
    for (const char* name : {"m00293.pt", "m00543.pt"}) {
        ModelSpec spec = fixture_spec("cnn.pt");
        spec.path = shared_data() / "hostile" / name;
        EXPECT_THAT(message_of([&] { open_classifier(spec, isolated_options); }),
                    AllOf(HasSubstr(name), HasSubstr("signal")));
    }
}

TEST(Isolated, AProcessThatIsKilledIsAnErrorOfThatModelAlone) {
    const auto other = open_classifier(fixture_spec("vit.pt"), isolated_options);
    const std::vector<float> want = run(*other, 2, 16);
    const std::set<pid_t> before = model_processes();
    const auto classifier = open_classifier(fixture_spec("cnn.pt"), isolated_options);
    run(*classifier, 2, 16);
    std::set<pid_t> its = model_processes();
    for (const pid_t pid : before) its.erase(pid);
    ASSERT_EQ(its.size(), 1U);
    std::atomic<int> failed{0};
    std::array<std::atomic<int>, 4> done{};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                try {
                    for (;; ++done[static_cast<std::size_t>(t)]) run(*classifier, 4, 16);
                } catch (const Error& error) {
                    EXPECT_THAT(error.what(),
                                AllOf(HasSubstr("cnn.pt was killed"), HasSubstr("memory ran out")));
                    EXPECT_EQ(error.code(), ErrorCode::bad_input);
                    ++failed;
                }
            });
        EXPECT_TRUE(until([&] {
            return std::ranges::all_of(done, [](const auto& count) { return count > 0; });
        }));
        ::kill(*its.begin(), SIGKILL);
    }
    EXPECT_EQ(failed, 4);
    EXPECT_THAT(message_of([&] { run(*classifier, 1, 16); }), HasSubstr("was killed"));
    EXPECT_EQ(run(*other, 2, 16), want);
}

TEST(Isolated, AProcessThatEndedIsStartedAgainWithTheSameFile) {
    const Scratch scratch;
    ModelSpec spec = fixture_spec("cnn.pt");
    fs::copy_file(spec.path, scratch / "cnn.pt");
    spec.path = scratch / "cnn.pt";
    const std::set<pid_t> before = model_processes();
    const auto classifier = open_classifier(spec, isolated_options);
    const std::vector<float> want = run(*classifier, 2, 16);
    auto* const supervised = dynamic_cast<isolated::Supervised*>(classifier.get());
    ASSERT_NE(supervised, nullptr);
    const auto kill_it = [&] {
        std::set<pid_t> its = model_processes();
        for (const pid_t pid : before) its.erase(pid);
        ASSERT_EQ(its.size(), 1U);
        ::kill(*its.begin(), SIGKILL);
        message_of([&] {
            for (;;) run(*classifier, 2, 16);
        });
        ASSERT_TRUE(supervised->process_end().has_value());
        EXPECT_EQ(supervised->process_end()->how,
                  "the model's process was killed by a user, or because memory ran out");
    };
    EXPECT_FALSE(supervised->process_end().has_value());
    for (int time = 0; time < 2; ++time) {
        kill_it();
        EXPECT_TRUE(supervised->can_restart());
        supervised->restart();
        EXPECT_FALSE(supervised->process_end().has_value());
        EXPECT_EQ(run(*classifier, 2, 16), want);
    }
    kill_it();
    std::ofstream(spec.path, std::ios::app) << "x";
    EXPECT_THAT(message_of([&] { supervised->restart(); }),
                HasSubstr("cnn.pt has changed since it was opened"));
}

TEST(Isolated, AClosedModelLeavesNoProcess) {
    // These are processes of the previous tests.
    EXPECT_TRUE(until([] { return model_processes().empty(); }));
    {
        const auto one = open_classifier(fixture_spec("cnn.pt"), isolated_options);
        const auto two = open_classifier(fixture_spec("vit.pt"), isolated_options);
        EXPECT_EQ(model_processes().size(), 2U);
    }
    EXPECT_TRUE(until([] { return model_processes().empty(); }));
}

TEST(Isolated, AKilledLauncherEndsItsModelsAndIsStartedAgain) {
    const auto classifier = open_classifier(fixture_spec("cnn.pt"), isolated_options);
    const std::vector<float> want = run(*classifier, 2, 16);
    const std::set<pid_t> launchers = assay_models_of(::getpid());
    ASSERT_EQ(launchers.size(), 1U);
    ::kill(*launchers.begin(), SIGKILL);
    EXPECT_TRUE(until([&] {
        try {
            run(*classifier, 1, 16);
            return false;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr("cnn.pt is gone"));
            return true;
        }
    }));
    EXPECT_EQ(run(*open_classifier(fixture_spec("cnn.pt"), isolated_options), 2, 16), want);
}

TEST(Isolated, WhatAModelPrintsIsNotOnTheCallersStdout) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run(*open_classifier(fixture_spec("prints.pt"), isolated_options), 1, 16).size(), 5U);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Isolated, FilesOfOthersAreNeitherReadNorWritten) {
    // The paths in the models are relative to the folder in which assay-model was started. Both are
    // refused there.
    for (const char* name : {"writes_file.pt", "saves_file.pt"}) {
        EXPECT_THAT(message_of([&] { open_classifier(fixture_spec(name), isolated_options); }),
                    HasSubstr("the model's code tried to open a file for writing"));
    }
    EXPECT_FALSE(fs::exists("written_by_a_model"));
}

}  // namespace
}  // namespace assay
