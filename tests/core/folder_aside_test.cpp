// A folder that appears complete, in a new place or in the place of an earlier one.
#include "core/folder_aside.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "../message_of.h"
#include "../scratch.h"
#include "assay/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::set<std::string> file_names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

class FolderAsideTest : public testing::Test {
protected:
    static void put(const fs::path& folder, const std::string& name) {
        fs::create_directories(folder);
        std::ofstream(folder / name) << name;
    }
    Scratch scratch_;
    fs::path target_ = scratch_ / "out";
};

TEST_F(FolderAsideTest, WithoutKeepNothingIsLeft) {
    {
        const FolderAside aside(target_);
        put(aside.path(), "new");
    }
    EXPECT_TRUE(file_names_in(scratch_.path()).empty());
}

TEST_F(FolderAsideTest, ReplaceKeepsIfThereIsNothingToReplace) {
    for (const bool empty : {false, true}) {
        fs::remove_all(target_);
        if (empty) fs::create_directory(target_);
        FolderAside aside(target_);
        put(aside.path(), "new");
        aside.replace();
        EXPECT_EQ(file_names_in(target_), (std::set<std::string>{"new"}));
    }
}

TEST_F(FolderAsideTest, ReplaceLeavesNothingOfTheEarlierFolder) {
    put(target_ / "inside", "old");
    {
        FolderAside aside(target_);
        put(aside.path(), "new");
        EXPECT_THROW(aside.keep(), Error);
        EXPECT_EQ(file_names_in(target_), (std::set<std::string>{"inside"}));
        aside.replace();
    }
    EXPECT_EQ(file_names_in(target_), (std::set<std::string>{"new"}));
    EXPECT_EQ(file_names_in(scratch_.path()), (std::set<std::string>{"out"}));
}

TEST_F(FolderAsideTest, TheEarlierFolderIsTheOneThatWasMade) {
    put(target_, "old");
    put(scratch_ / "made", "new");
    replace_folder(scratch_ / "made", target_);
    EXPECT_EQ(file_names_in(target_), (std::set<std::string>{"new"}));
    EXPECT_EQ(file_names_in(scratch_ / "made"), (std::set<std::string>{"old"}));
}

TEST_F(FolderAsideTest, AFailureKeepsTheEarlierFolder) {
    put(target_, "old");
    EXPECT_THROW(replace_folder(scratch_ / "missing", target_), Error);
    EXPECT_EQ(file_names_in(target_), (std::set<std::string>{"old"}));
    EXPECT_EQ(file_names_in(scratch_.path()), (std::set<std::string>{"out"}));
}

// As on a file system that cannot exchange names.
TEST_F(FolderAsideTest, RenamesReplaceAFolderAndItsLeftover) {
    put(target_, "old");
    put(scratch_ / "made", "new");
    put(replaced_name(target_), "leftover");
    replace_by_renames(scratch_ / "made", target_);
    EXPECT_EQ(file_names_in(target_), (std::set<std::string>{"new"}));
    EXPECT_EQ(file_names_in(scratch_ / "made"), (std::set<std::string>{"old"}));
    EXPECT_EQ(file_names_in(scratch_.path()), (std::set<std::string>{"made", "out"}));
}

TEST_F(FolderAsideTest, RenamesThatFailKeepTheEarlierFolder) {
    put(target_, "old");
    EXPECT_THROW(replace_by_renames(scratch_ / "missing", target_), Error);
    EXPECT_EQ(file_names_in(target_), (std::set<std::string>{"old"}));
    EXPECT_EQ(file_names_in(scratch_.path()), (std::set<std::string>{"out"}));
}

TEST_F(FolderAsideTest, TheOnlyCopyIsKeptAndNamed) {
    const fs::path old = replaced_name(target_);
    put(old, "old");
    put(scratch_ / "made", "new");
    const std::string said =
        message_of([&] { replace_by_renames(scratch_ / "made", target_); }, ErrorCode::io);
    EXPECT_NE(said.find("the earlier one is in " + old.string()), std::string::npos) << said;
    EXPECT_EQ(file_names_in(old), (std::set<std::string>{"old"}));
    EXPECT_EQ(file_names_in(scratch_ / "made"), (std::set<std::string>{"new"}));
}

}  // namespace
}  // namespace assay
