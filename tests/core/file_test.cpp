#include "core/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "assay/error.h"
#include "core/file_stream.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/shortened_files.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

ErrorCode code_of(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorCode::internal;
}

TEST(File, WritesAndReadsBack) {
    const Scratch scratch;
    const fs::path file = scratch / "a.txt";
    write_file_atomically(file, "first");
    write_file_atomically(file, "second");
    EXPECT_EQ(read_text(file), "second");
    EXPECT_EQ(MappedFile(file).text(), "second");
    EXPECT_EQ(hash_file(file), hash_text("second"));
    // Nothing else stays in the folder.
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
}

TEST(File, EmptyFileIsEmpty) {
    const Scratch scratch;
    write_file_atomically(scratch / "empty", "");
    EXPECT_TRUE(read_file(scratch / "empty").empty());
    EXPECT_TRUE(MappedFile(scratch / "empty").bytes().empty());
}

TEST(File, BadInputIsNamed) {
    const Scratch scratch;
    EXPECT_EQ(code_of([&] { read_file(scratch / "missing"); }), ErrorCode::bad_input);
    EXPECT_EQ(code_of([&] { read_file(scratch.path()); }), ErrorCode::bad_input);
    EXPECT_EQ(code_of([&] { read_file("/dev/zero"); }), ErrorCode::bad_input);
    write_file_atomically(scratch / "big", "12345");
    EXPECT_EQ(code_of([&] { read_file(scratch / "big", 4); }), ErrorCode::bad_input);
    EXPECT_EQ(read_text(scratch / "big", 5), "12345");
    EXPECT_EQ(code_of([&] { read_start(scratch / "missing", 4); }), ErrorCode::bad_input);
    EXPECT_EQ(code_of([&] { read_start("/dev/zero", 4); }), ErrorCode::bad_input);
    EXPECT_EQ(code_of([&] { hash_file(scratch / "missing"); }), ErrorCode::bad_input);
    EXPECT_EQ(code_of([&] { hash_file(scratch.path()); }), ErrorCode::bad_input);
    // Without a writer, opening it would wait for ever.
    const fs::path pipe = scratch / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(code_of([&] { hash_file(pipe); }), ErrorCode::bad_input);
}

TEST(File, HashingStopsWhenItIsAsked) {
    const Scratch scratch;
    write_file_atomically(scratch / "a.txt", "text");
    const pid_t child = ::fork();  // a request to stop is for the rest of the process
    if (child == 0) {
        request_stop();
        try {
            hash_file(scratch / "a.txt");
        } catch (const Error& error) {
            ::_exit(error.code() == ErrorCode::interrupted ? 0 : 2);
        }
        ::_exit(1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(File, TheStartOfAFile) {
    const Scratch scratch;
    write_file_atomically(scratch / "a", "12345");
    EXPECT_EQ(read_start(scratch / "a", 3), "123");
    EXPECT_EQ(read_start(scratch / "a", 5), "12345");
    EXPECT_EQ(read_start(scratch / "a", std::size_t{1} << 40), "12345");
}

TEST(File, AFullDiskLeavesTheOldBytes) {
    const Scratch scratch;
    const fs::path file = scratch / "kept";
    write_file_atomically(file, "old");
    // A child process, because the limit holds for every file that a process writes.
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{16, 16};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, SIG_IGN);
        try {
            write_file_atomically(file, std::string(1000, 'x'));
        } catch (const Error& error) {
            ::_exit(error.code() == ErrorCode::io ? 0 : 1);
        }
        ::_exit(2);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_text(file), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
}

TEST(FileStream, AppearsWholeOrNotAtAll) {
    const Scratch scratch;
    const auto files = [&] {
        return std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator());
    };
    const fs::path file = scratch / "a.txt";
    for (const auto sync : {FileStream::Sync::now, FileStream::Sync::later}) {
        FileStream stream(file);
        stream.write("first, ");
        EXPECT_FALSE(fs::exists(file));
        stream.write("second");
        stream.commit(sync);
        EXPECT_EQ(read_text(file), "first, second");
        fs::remove(file);
    }
    {
        FileStream stream(file);
        stream.write("never ready");
        EXPECT_EQ(files(), 1);
    }
    EXPECT_EQ(files(), 0);
    fs::create_directory(file);  // it cannot be replaced by a file
    FileStream stream(file);
    EXPECT_EQ(code_of([&] { stream.commit(); }), ErrorCode::io);
    EXPECT_EQ(code_of([&] { FileStream(scratch / "no/a.txt"); }), ErrorCode::io);
}

TEST(FileLock, TheSecondHolderIsRefusedAndToldWho) {
    const Scratch scratch;
    const fs::path path = scratch / "lock";
    {
        const FileLock first(path);
        try {
            const FileLock second(path);
            FAIL() << "locked twice";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::busy);
            EXPECT_NE(error.message().find("process " + std::to_string(::getpid())),
                      std::string::npos);
        }
    }
    const FileLock again(path);
}

TEST(Hash, FieldsDoNotRunTogether) {
    const auto digest = [](std::string_view a, std::string_view b) {
        Hasher hasher;
        hasher.add_field(a);
        hasher.add_field(b);
        return hasher.digest();
    };
    EXPECT_NE(digest("ab", "c"), digest("a", "bc"));
    // XXH3-128 of the empty input, from the xxHash specification's reference vectors.
    EXPECT_EQ(hash_text(""), "xxh128:99aa06d3014798d86001c324468d497f");
}

/// A file that another process cuts while it is mapped ends the program, and is named.
TEST(File, OneThatBecomesShorterIsNamed) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const Scratch scratch;
    const auto path = scratch / "scores.npy";
    write_file_atomically(path, std::string(100000, 'x'));
    const auto read_cut_file = [&] {
        name_shortened_files("assay");
        const MappedFile file(path);
        std::filesystem::resize_file(path, 10);
        volatile std::byte last = file.bytes().back();
        (void)last;
    };
    EXPECT_EXIT(read_cut_file(), testing::ExitedWithCode(2),
                "assay: error: `.*scores.npy` became shorter while it was read");
}

}  // namespace
}  // namespace assay
