// Tests for which LibTorch a plug-in is compiled. They use fake ones: folders with the files that
// Assay reads, and scripts that replace Python. tests/cli/torch_build.sh compiles a plug-in.
#include "assay/model/libtorch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/elf.h"
#include "core/file.h"
#include "core/run_program.h"
#include "message_of.h"
#include "model/libtorch/build_in_tree.h"
#include "model/libtorch/libtorch_places.h"
#include "model/libtorch/plugin_record.h"
#include "model/libtorch/python.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

/// A folder of this version in pip's layout. The file `c10` replaces its libc10.so.
fs::path made_up_torch(const fs::path& root, const std::string& version,
                       const fs::path& c10 = FAKE_C10) {
    const fs::path headers = root / "include/torch/csrc/api/include/torch";
    for (const fs::path& folder : {headers, root / "include/ATen", root / "lib"})
        fs::create_directories(folder);
    const std::size_t a = version.find('.'), b = version.rfind('.');
    std::ofstream(headers / "version.h")
        << "#pragma once\n/// Indicates the major version.\n#define TORCH_VERSION_MAJOR "
        << version.substr(0, a) << "\n#define TORCH_VERSION_MINOR "
        << version.substr(a + 1, b - a - 1) << "\n#define TORCH_VERSION_PATCH "
        << version.substr(b + 1) << "\n#define TORCH_VERSION \\\n  \"" << version << "\"\n";
    std::ofstream(root / "include/ATen/ATen.h") << "\n";
    for (const char* name : {"libtorch.so", "libtorch_cpu.so"})
        std::ofstream(root / "lib" / name) << version;
    fs::copy_file(c10, root / "lib/libc10.so");
    return root;
}

LibTorch examined(const fs::path& root) {
    LibTorch place;
    place.root = root;
    examine(place);
    return place;
}

/// A program that replaces Python.
std::string python_that(const Scratch& scratch, const std::string& does) {
    const fs::path script = scratch / "python";
    std::ofstream(script) << "#!/bin/sh\n" << does << "\n";
    fs::permissions(script, fs::perms::owner_all);
    return script;
}

TEST(LibTorch, OneOfPipIsTakenAsItLies) {
    const Scratch scratch;
    const LibTorch place = examined(made_up_torch(scratch / "torch", "2.6.0"));
    EXPECT_EQ(place.unusable, "");
    EXPECT_EQ(place.version, "2.6.0");
    EXPECT_EQ(place.libraries, scratch / "torch/lib");
    EXPECT_FALSE(place.cuda);
    std::ofstream(scratch / "torch/lib/libtorch_cuda.so") << "";
    EXPECT_TRUE(examined(scratch / "torch").cuda);
    EXPECT_EQ(examined(made_up_torch(scratch / "oldest", "1.13.0")).unusable, "");
    EXPECT_EQ(examined(made_up_torch(scratch / "newest", "3.0.11")).version, "3.0.11");
}

TEST(LibTorch, WhatIsMissingIsNamed) {
    const Scratch scratch;
    const fs::path root = made_up_torch(scratch / "torch", "2.6.0");
    EXPECT_THAT(examined(scratch / "none").unusable,
                HasSubstr("no lib/libtorch_cpu.so in " + (scratch / "none").string()));
    EXPECT_THAT(examined(made_up_torch(scratch / "old", "1.12.1")).unusable,
                AllOf(HasSubstr("LibTorch 1.12.1"), HasSubstr("older than 1.13")));
    std::ofstream(root / "include/torch/csrc/api/include/torch/version.h")
        << "#define TORCH_VERSION_MAJOR x\n";
    EXPECT_THAT(examined(root).unusable, HasSubstr("headers are missing in"));
    fs::remove(root / "lib/libc10.so");
    EXPECT_THAT(examined(root).unusable, HasSubstr("lacks libc10.so"));
}

TEST(LibTorch, TheOldAbiIsNamedAsSuch) {
    const Scratch scratch;
    const LibTorch place = examined(made_up_torch(scratch / "torch", "2.5.1", FAKE_C10_OLD));
    EXPECT_EQ(place.version, "2.5.1");
    EXPECT_THAT(place.unusable, AllOf(HasSubstr("_GLIBCXX_USE_CXX11_ABI=0"),
                                      HasSubstr("PyTorch 2.7 or newer"), HasSubstr("cxx11 ABI")));
}

// No symbol in the file shows the std::string, so the compiler decides.
TEST(LibTorch, AnotherC10IsLeftToTheCompiler) {
    const Scratch scratch;
    std::ofstream(scratch / "damaged") << "\177ELF and then nothing";
    EXPECT_EQ(examined(made_up_torch(scratch / "a", "2.6.0", scratch / "damaged")).unusable, "");
}

TEST(LibTorch, TorchDirIsTheRootOrWhatCMakeCallsIt) {
    const Scratch scratch;
    const fs::path root = made_up_torch(scratch / "libtorch", "2.6.0");
    EXPECT_EQ(root_of_torch_dir(root / "share/cmake/Torch"), root);
    EXPECT_EQ(root_of_torch_dir(root), root);
    EXPECT_EQ(root_of_torch_dir(scratch / "elsewhere"), scratch / "elsewhere");
}

TEST(LibTorch, PythonIsAskedAndHeldAgainstWhatIsThere) {
    const Scratch scratch;
    fs::create_directory(scratch / "torch");
    const std::string folder = scratch / "torch";
    const auto answer = [&](const std::string& does) {
        return torch_of_python(python_that(scratch, does));
    };
    EXPECT_EQ(answer("echo hello; echo 'torch is in " + folder + "'").folder, folder);
    EXPECT_THAT(answer("echo 'torch is in '").why_not, HasSubstr("has no package torch"));
    EXPECT_THAT(answer("exit 3").why_not, HasSubstr("status 3"));
    EXPECT_THAT(answer("yes").why_not, HasSubstr("it was stopped"));  // over 64 KiB of output
    for (const std::string lie : {"relative", "/none/at/all", "/etc/passwd", "/tmp\\033[31m"})
        EXPECT_THAT(answer("printf 'torch is in " + lie + "\\n'").why_not,
                    AllOf(HasSubstr("is not a folder"), Not(HasSubstr("\033"))))
            << lie;
    EXPECT_THAT(torch_of_python(scratch / "absent").why_not, HasSubstr("there is no "));
}

// Runs the script itself in a Python. A package is found without running it, and the current folder
// does not count.
TEST(LibTorch, ARealPythonFindsAPackageWithoutRunningIt) {
    if (!run_program({.words = {"python3", "-c", ""}}).good()) GTEST_SKIP() << "no python3";
    const Scratch scratch;
    for (const char* where : {"path", "here"}) {
        fs::create_directories(scratch / where / "torch");
        std::ofstream(scratch / where / "torch/__init__.py") << "raise SystemExit(9)\n";
    }
    const std::string python = python_that(
        scratch, "cd " + (scratch / "here").string() + "; exec env $PATHS python3 \"$@\"");
    setenv("PATHS", ("PYTHONPATH=" + (scratch / "path").string()).c_str(), 1);
    EXPECT_EQ(torch_of_python(python).folder, scratch / "path/torch");
    setenv("PATHS", "PYTHONPATH=", 1);
    EXPECT_NE(torch_of_python(python).folder, scratch / "here/torch");
    unsetenv("PATHS");
}

class Choice : public testing::Test {
protected:
    ~Choice() override { unsetenv("Torch_DIR"); }
    /// The environment in which `python` is active.
    std::vector<LibTorch> found(const std::string& python) const {
        return find_libtorch({.python = python, .folder = {}});
    }
    Scratch scratch_;
    fs::path usable_ = made_up_torch(scratch_ / "usable", "2.6.0");
    fs::path old_ = made_up_torch(scratch_ / "old", "2.5.1", FAKE_C10_OLD);
    LibTorch place(LibTorchSource source, const fs::path& root) const {
        LibTorch one = examined(root);
        one.source = source;
        one.asked = source == LibTorchSource::torch_dir ? "Torch_DIR" : "python3";
        return one;
    }
};

TEST_F(Choice, TorchDirThenPythonThenTheDistribution) {
    setenv("Torch_DIR", (usable_ / "share/cmake/Torch").c_str(), 1);
    const auto all = find_libtorch({});
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].source, LibTorchSource::torch_dir);
    EXPECT_EQ(all[0].root, usable_);
    EXPECT_EQ(all[1].source, LibTorchSource::python);
    EXPECT_EQ(all[2].source, LibTorchSource::distribution);
    EXPECT_EQ(chosen_libtorch(all, {}).root, usable_);
    // A Python that is given by name has precedence over a variable.
    const std::string python = python_that(scratch_, "echo 'torch is in " + usable_.string() + "'");
    EXPECT_EQ(found(python)[0].source, LibTorchSource::python);
    EXPECT_EQ(found(python)[0].asked, python);
}

TEST_F(Choice, OneThatWasNamedIsNeverPassedOver) {
    const LibTorch good = place(LibTorchSource::distribution, usable_);
    const std::vector<LibTorch> by_dir = {place(LibTorchSource::torch_dir, old_), good};
    EXPECT_THAT(message_of([&] { chosen_libtorch(by_dir, {}); }, ErrorCode::usage),
                AllOf(HasSubstr("Torch_DIR: "), HasSubstr("CXX11_ABI=0")));
    const std::vector<LibTorch> by_python = {place(LibTorchSource::python, old_), good};
    const LibTorchOptions named = {.python = "python3", .folder = {}};
    EXPECT_THAT(message_of([&] { chosen_libtorch(by_python, named); }, ErrorCode::usage),
                HasSubstr("CXX11_ABI=0"));
    EXPECT_EQ(chosen_libtorch(by_python, {}).root, usable_);  // this was only the active Python
    const std::vector<LibTorch> none = {place(LibTorchSource::python, old_)};
    EXPECT_THAT(message_of([&] { chosen_libtorch(none, {}); }, ErrorCode::usage),
                AllOf(HasSubstr("there is no LibTorch"), HasSubstr("pip install torch")));
}

TEST_F(Choice, TheReportSaysWhyNot) {
    TorchState state;
    state.libtorch = {place(LibTorchSource::python, old_),
                      place(LibTorchSource::torch_dir, usable_),
                      place(LibTorchSource::distribution, usable_)};
    const auto before = report_of(state).result.at("libtorch");
    EXPECT_THAT(before[0].at("state"), HasSubstr("CXX11_ABI=0"));
#ifdef ASSAY_HAS_TORCH
    EXPECT_THAT(before[1].at("state"), HasSubstr("assay torch --build"));
#else
    EXPECT_THAT(before[1].at("state"), HasSubstr("has no plug-in"));
#endif
    EXPECT_EQ(before[2].at("state"), "not used: Torch_DIR comes first");
    EXPECT_EQ(before[2].at("version"), "2.6.0");
    state.plugins = {{.file = "/a/libassay_torch.so",
                      .framework = "LibTorch 2.6.0, ONNX",
                      .libtorch = usable_ / "lib/libtorch_cpu.so",
                      .problem = {}},
                     {.file = "/b/libassay_torch.so",
                      .framework = "LibTorch 1.13.0",
                      .libtorch = {},
                      .problem = {}}};
    const auto after = report_of(state).result;
    EXPECT_EQ(after.at("libtorch")[1].at("state"), "models use it");
    EXPECT_EQ(after.at("plugins")[0].at("state"), "used");
    EXPECT_THAT(after.at("plugins")[1].at("state"), HasSubstr("not used"));
}

TEST(PluginRecord, SaysWhenItsLibTorchIsGoneOrAnotherOne) {
    const Scratch scratch;
    const fs::path plugin = scratch / "libassay_torch.so", torch = scratch / "libtorch_cpu.so";
    EXPECT_EQ(problem_of_plugin(plugin), "");  // a LibTorch of the system has no record
    write_file_atomically(torch, "12345");
    write_file_atomically(record_file(plugin), text_of(PluginRecord{torch, 5, "2.6.0"}));
    EXPECT_EQ(record_of_plugin(plugin)->libtorch, torch);
    EXPECT_EQ(problem_of_plugin(plugin), "");
    write_file_atomically(torch, "123456");
    EXPECT_THAT(problem_of_plugin(plugin),
                AllOf(HasSubstr("LibTorch 2.6.0"), HasSubstr("has changed"),
                      HasSubstr("assay torch --build")));
    fs::remove(torch);
    EXPECT_THAT(problem_of_plugin(plugin), HasSubstr("no longer exists"));
}

TEST(PluginRecord, DamageIsNamed) {
    const Scratch scratch;
    const fs::path plugin = scratch / "libassay_torch.so";
    for (const char* text :
         {"", "[]", "{}", "{\"schema\": \"assay.torch_plugin/1\"}",
          R"({"schema": "assay.torch_plugin/2", "libtorch": "/a", "bytes": 5, "version": "2"})",
          R"({"schema": "assay.torch_plugin/1", "libtorch": "a", "bytes": 5, "version": "2"})",
          R"({"schema": "assay.torch_plugin/1", "libtorch": "/a", "bytes": -5, "version": "2"})",
          R"({"schema": 1, "libtorch": 2, "bytes": "5", "version": []})"}) {
        write_file_atomically(record_file(plugin), text);
        EXPECT_THAT(message_of([&] { problem_of_plugin(plugin); }),
                    HasSubstr("is not a record of a plug-in"))
            << text;
    }
}

TEST(Elf, NamesOfALibraryAndOfNoDamagedOne) {
    const std::string whole = read_text(FAKE_C10);
    EXPECT_THAT(std::string(dynamic_names(whole)), HasSubstr("torchCheckFail"));
    EXPECT_EQ(dynamic_names(""), "");
    EXPECT_EQ(dynamic_names("text"), "");
    for (std::size_t n = 0; n < whole.size(); n += 97)
        dynamic_names(std::string(whole, 0, n));  // the file ends here, and nothing is read beyond
    for (std::size_t at = 0; at < 64; ++at) {     // its head, with the largest bytes
        std::string damaged = whole;
        damaged[at] = static_cast<char>(255);
        dynamic_names(damaged);
    }
}

TEST(FirstError, IsNoCommandThatTurnsWarningsIntoErrors) {
    EXPECT_EQ(first_error("[1/9] Building\nFAILED: a.o\n/usr/bin/c++ -Wall -Werror -c a.cpp\n"
                          "a.cpp: In function 'f':\na.cpp:3:1: error: no such name\n"
                          "ninja: build stopped: subcommand failed.\n"),
              "a.cpp:3:1: error: no such name");
    EXPECT_EQ(first_error("a.cpp:1:10: fatal error: torch/torch.h: No such file\n"),
              "a.cpp:1:10: fatal error: torch/torch.h: No such file");
    EXPECT_EQ(first_error("-- LibTorch\nCMake Error at cmake/torch.cmake:60 (message):\n  none\n"),
              "CMake Error at cmake/torch.cmake:60 (message):");
    EXPECT_EQ(first_error("ninja: error: unknown target 'assay_torch'\n"),
              "ninja: error: unknown target 'assay_torch'");
    EXPECT_EQ(first_error("killed\n"), "without an error message");
}

TEST(RunProgram, StatusOutputAndLimits) {
    const auto run = [](std::string script, std::chrono::milliseconds limit = {}) {
        return run_program(
            {.words = {"sh", "-c", std::move(script)}, .errors = {}, .most = 1000, .limit = limit});
    };
    EXPECT_EQ(run("echo a; echo b >&2").out, "a\n");
    EXPECT_TRUE(run("true").good());
    EXPECT_EQ(run("exit 7").status, 7);
    EXPECT_EQ(run("kill -TERM $$").status, 128 + 15);
    EXPECT_EQ(run("cat").out, "");  // the file is empty
    EXPECT_FALSE(run_program({.words = {"/none/such"}}).found);
    EXPECT_FALSE(run_program({.words = {"/etc/passwd"}}).found);
    EXPECT_TRUE(run("exec yes").ended);
    EXPECT_TRUE(
        // the limit itself, which is far below the program's memory
        run("exec sleep 600", 100ms).ended);
    EXPECT_FALSE(run("true", 60'000ms).ended);
    const Scratch scratch;
    run_program({.words = {"sh", "-c", "echo why >&2"}, .errors = scratch / "errors"});
    EXPECT_EQ(read_text(scratch / "errors"), "why\n");
}

}  // namespace
}  // namespace assay
