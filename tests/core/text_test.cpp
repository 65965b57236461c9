// Foreign texts on terminals, and paths that the system cannot resolve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/paths.h"
#include "core/terminal_text.h"
#include "core/text.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(HowMany, OneIsNoPlural) {
    EXPECT_EQ(how_many(0, "image"), "0 images");
    EXPECT_EQ(how_many(1, "image"), "1 image");
    EXPECT_EQ(how_many(50000, "image"), "50000 images");
    EXPECT_EQ(how_many(1, "class", "classes"), "1 class");
    EXPECT_EQ(how_many(2, "class", "classes"), "2 classes");
}

TEST(TerminalText, ControlsAreShown) {
    EXPECT_EQ(without_controls("plain, \tmit Ümlaut – 猫\n"), "plain, \tmit Ümlaut – 猫\n");
    EXPECT_EQ(without_controls("\x1b[31mred\x1b]0;title\x07"), "\\x1b[31mred\\x1b]0;title\\x07");
    EXPECT_EQ(without_controls(std::string_view("a\0b\rc\x7f", 6)), "a\\x00b\\x0dc\\x7f");
    EXPECT_EQ(without_controls("\xc2\x9b[2J"), "\\u009b[2J");  // the one-character form of ESC [
    EXPECT_EQ(without_controls("\xe2\x80\xaegnp.exe\xe2\x81\xa9"), "\\u202egnp.exe\\u2069");
}

TEST(TerminalText, WhatIsNotUtf8IsShown) {
    EXPECT_EQ(without_controls("\x9b[2J\xff"), "\\x9b[2J\\xff");
    EXPECT_EQ(without_controls("\xc3"), "\\xc3");  // the text is cut off
    // an overlong encoding of ESC in two bytes
    EXPECT_EQ(without_controls("\xc0\x9b"), "\\xc0\\x9b");
    EXPECT_EQ(without_controls("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");
    EXPECT_EQ(without_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
    EXPECT_EQ(without_controls("\xf0\x9f\x90\x88"), "\xf0\x9f\x90\x88");
    EXPECT_EQ(without_controls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
    EXPECT_EQ(without_controls(""), "");
}

TEST(Paths, WhatCannotBeToldIsAnErrorAndNotAnAnswer) {
    const Scratch scratch;
    EXPECT_FALSE(is_there(scratch / "missing"));
    EXPECT_FALSE(is_folder(scratch / "missing"));
    EXPECT_TRUE(is_folder(scratch.path()));
    std::ofstream(scratch / "file") << "x";
    EXPECT_TRUE(is_there(scratch / "file"));
    EXPECT_FALSE(is_folder(scratch / "file"));
    EXPECT_FALSE(is_there(scratch / "file/below"));
    fs::create_symlink("circle", scratch / "circle");
    EXPECT_THAT(message_of([&] { is_there(scratch / "circle"); }, ErrorCode::io),
                HasSubstr("cannot examine `" + (scratch / "circle").string() + "`: "));
    EXPECT_THAT(message_of([&] { is_folder(std::string(5000, 'x')); }, ErrorCode::io),
                HasSubstr("File name too long"));
}

TEST(Paths, TheCurrentFolderMayBeGone) {
    EXPECT_EQ(absolute_path("/a/./b/../c"), "/a/c");
    EXPECT_EQ(absolute_path("a"), fs::current_path() / "a");
    const fs::path home = fs::current_path();
    std::string message;
    {
        const Scratch scratch;
        fs::current_path(scratch.path());
        fs::remove_all(scratch.path());
        message = message_of([] { absolute_path("a"); }, ErrorCode::io);
        fs::current_path(home);
    }
    EXPECT_THAT(message, HasSubstr("cannot resolve `a`: the current folder is not readable: "));
}

}  // namespace
}  // namespace assay
