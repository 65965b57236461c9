#include "core/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "assay/error.h"
#include "core/file_stream.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/shortened_files.h"
#include "core/temporary.h"
#include "message_of.h"
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
    // No other file remains in the folder.
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
    // Without a writer, opening the pipe would wait forever.
    const fs::path pipe = scratch / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(code_of([&] { hash_file(pipe); }), ErrorCode::bad_input);
}

TEST(File, HashingStopsWhenItIsAsked) {
    const Scratch scratch;
    write_file_atomically(scratch / "a.txt", "text");
    const pid_t child = ::fork();  // a request to stop is valid until the process ends
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
    // Uses a child process, because the limit applies to every file that a process writes.
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
    fs::create_directory(file);  // a file cannot replace a folder
    FileStream stream(file);
    EXPECT_EQ(code_of([&] { stream.commit(); }), ErrorCode::io);
    EXPECT_EQ(code_of([&] { FileStream(scratch / "no/a.txt"); }), ErrorCode::io);
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// A child process that has written half of `file` when this returns.
class HalfWay {
public:
    explicit HalfWay(const fs::path& file) {
        int ready[2];
        if (::pipe(ready) != 0) return;
        pid_ = ::fork();
        if (pid_ == 0) {
            FileStream stream(file);
            stream.write("half");
            if (::write(ready[1], "x", 1) != 1) ::_exit(1);
            for (;;) ::pause();
        }
        char byte = 0;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    ~HalfWay() { kill(); }
    void kill() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        pid_ = -1;
    }

private:
    pid_t pid_ = -1;
};

/// Runs `body` in a child process, which must not throw or crash.
template <class Body>
void in_new_process(Body&& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            body();
        } catch (...) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

/// Removes old files like a process when it first uses the folder.
void write_in_new_process(const fs::path& file) {
    in_new_process([&] { write_file_atomically(file, "whole"); });
    EXPECT_EQ(read_text(file), "whole");
}

TEST(FileStream, WhatADeadWriterLeftGoesWithTheNextOneAndNothingElse) {
    const Scratch scratch;
    const fs::path file = scratch / "a.txt";
    HalfWay writer(file);
    ASSERT_EQ(names_in(scratch.path()).size(), 1U);
    const std::string name = names_in(scratch.path())[0];
    write_in_new_process(file);
    // this process is alive
    EXPECT_EQ(names_in(scratch.path()), (std::vector<std::string>{name, "a.txt"}));
    writer.kill();
    write_in_new_process(file);
    EXPECT_EQ(names_in(scratch.path()), (std::vector<std::string>{"a.txt"}));

    // names have the form ".a.txt.<machine>-<boot>-<pid>-<random>.tmp"
    ASSERT_TRUE(name.starts_with(".a.txt."));
    const std::size_t begin = name.find('-') - 8;
    const auto with = [&](std::size_t at, const char* mark) {
        std::string other = name;
        return other.replace(begin + at, 8, mark);
    };
    const fs::path of_this_boot = scratch / name,
                   of_another_machine = scratch / with(0, "01234567"),
                   of_an_earlier_boot = scratch / with(9, "01234567"),
                   of_another_boot = scratch / with(9, "76543210"),
                   of_another_file = scratch / (".b" + name.substr(begin - 1));
    std::string foreign_boot = with(0, "01234567");
    foreign_boot.replace(begin + 9, 8, "01234567");
    const fs::path of_another_machine_and_boot = scratch / foreign_boot;
    for (const fs::path& path : {of_this_boot, of_another_machine, of_an_earlier_boot,
                                 of_another_boot, of_another_file, of_another_machine_and_boot})
        std::ofstream(path) << "half";
    for (const char* foreign : {".a.txt.123.0.tmp", ".a.txt.x-y-1-z.tmp", "a.tmp"})
        std::ofstream(scratch / foreign) << "not ours";
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 3650);
    for (const fs::path& path : {of_an_earlier_boot, of_another_machine_and_boot})
        fs::last_write_time(path, long_ago);
    write_in_new_process(file);
    EXPECT_FALSE(fs::exists(of_this_boot));
    EXPECT_FALSE(fs::exists(of_another_file));
    EXPECT_FALSE(fs::exists(of_another_machine));  // another host name of the same running kernel
    EXPECT_FALSE(fs::exists(of_an_earlier_boot));
    // The file was written after this machine started, so it comes from another machine with the
    // same host name.
    EXPECT_TRUE(fs::exists(of_another_boot));
    EXPECT_TRUE(fs::exists(of_another_machine_and_boot));
    EXPECT_EQ(names_in(scratch.path()).size(), 6U);
}

// A writer that is killed as process 1 of a container leaves a file with the name that every later
// process 1 uses.
TEST(FileStream, ANameThatIsTakenIsNotTheNextOnes) {
    const Scratch scratch;
    for (int i = 0; i < 1000; ++i) {
        std::ofstream(scratch /
                      (".a.txt." + std::to_string(::getpid()) + "." + std::to_string(i) + ".tmp"))
            << "half";
    }
    write_file_atomically(scratch / "a.txt", "whole");
    EXPECT_EQ(read_text(scratch / "a.txt"), "whole");
}

TEST(FileStream, LongNamesFit) {
    const Scratch scratch;
    const fs::path file = scratch / std::string(255, 'n');
    write_file_atomically(file, "whole");
    EXPECT_EQ(read_text(file), "whole");
    const FileStream unfinished(file);
    EXPECT_EQ(names_in(scratch.path()).size(), 2U);
}

TEST(FileStream, AFileThatIsReplacedKeepsItsPermissionsAndItsOwner) {
    const Scratch scratch;
    const fs::path file = scratch / "a.txt";
    write_file_atomically(file, "old");
    struct stat info {};
    for (const mode_t mode : {mode_t{0600}, mode_t{0664}, mode_t{0444}, mode_t{0755}}) {
        ASSERT_EQ(::chmod(file.c_str(), mode), 0);
        {
            FileStream stream(file);
            stream.write("new");
            // A private file is private from its first byte on.
            for (const std::string& name : names_in(scratch.path())) {
                ASSERT_EQ(::stat((scratch / name).c_str(), &info), 0);
                EXPECT_EQ(info.st_mode & 077 & ~mode, 0U) << name;
            }
            stream.commit();
        }
        ASSERT_EQ(::stat(file.c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777, mode);
    }
    if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
    ASSERT_EQ(::chown(file.c_str(), 1234, 5678), 0);
    write_file_atomically(file, "newer");
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 1234U);
    EXPECT_EQ(info.st_gid, 5678U);
    EXPECT_EQ(info.st_mode & 0777, 0755U);
    // The user cannot change the owner of the file, and is not in its group.
    fs::permissions(scratch.path(), fs::perms::all);
    ASSERT_EQ(::chmod(file.c_str(), 0664), 0);
    in_new_process([&] {
        if (::setgid(4321) != 0 || ::setuid(4321) != 0) ::_exit(2);
        write_file_atomically(file, "newest");
    });
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 4321U);
    EXPECT_EQ(info.st_mode & 0777, 0644U);  // the group may read it, like everybody
}

TEST(Temporary, FoldersOfDeadMakersGoToo) {
    const Scratch scratch;
    in_new_process([&] {
        const Temporary made = make_temporary_folder(scratch / "pilot");
        std::ofstream(made.path / "inside") << "something";
        ::_exit(fs::exists(made.path / "inside") ? 0 : 1);  // the destructor is not called
    });
    ASSERT_EQ(names_in(scratch.path()).size(), 1U);
    const std::string old = names_in(scratch.path())[0];
    const Temporary mine = make_temporary_folder(scratch / "pilot");
    EXPECT_NE(mine.path.filename(), old);
    EXPECT_EQ(names_in(scratch.path()), (std::vector{mine.path.filename().string()}));
    remove_leftovers(scratch.path());
    EXPECT_TRUE(fs::is_directory(mine.path));
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

// The lock is taken without FileLock, like that of a holder that has not written its name yet.
TEST(FileLock, AFormerHolderIsNotNamed) {
    const Scratch scratch;
    const fs::path path = scratch / "lock";
    { const FileLock ended(path); }
    EXPECT_EQ(fs::file_size(path), 0U);
    const pid_t killed = ::fork();
    if (killed == 0) {
        const FileLock held(path);
        ::raise(SIGKILL);
    }
    ::waitpid(killed, nullptr, 0);
    EXPECT_EQ(read_text(path), "process " + std::to_string(killed) + "\n");
    EXPECT_EQ(lock_holder(path), "");
    const int taken = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::flock(taken, LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(lock_holder(path), "another process");
    try {
        const FileLock second(path);
        ADD_FAILURE() << "locked twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.message().find("process " + std::to_string(killed)), std::string::npos);
    }
    ::close(taken);
}

TEST(FileLock, ItsHolderIsKnownAndMeetsNobodyWhoLooks) {
    const Scratch scratch;
    const fs::path path = scratch / "lock";
    EXPECT_EQ(lock_holder(path), "");
    {
        const FileLock lock(path);
        EXPECT_EQ(lock_holder(path), "process " + std::to_string(::getpid()));
    }
    EXPECT_EQ(lock_holder(path), "");
    std::atomic<bool> stop{false};
    std::thread looking([&] {
        while (!stop) lock_holder(path);
    });
    for (int i = 0; i < 2000; ++i) EXPECT_NO_THROW(const FileLock lock(path));
    stop = true;
    looking.join();
}

TEST(Paths, FoldersAreListedInOrderOrNotAtAll) {
    const Scratch scratch;
    for (const char* name : {"b", "a", "B"}) std::ofstream(scratch / name) << name;
    std::vector<std::string> names;
    for (const fs::path& entry : entries_of(scratch.path()))
        names.push_back(entry.filename().string());
    EXPECT_EQ(names, (std::vector<std::string>{"B", "a", "b"}));
    EXPECT_EQ(file_bytes(scratch / "a"), 1U);
    EXPECT_EQ(code_of([&] { entries_of(scratch / "none"); }), ErrorCode::io);
    EXPECT_EQ(code_of([&] { entries_of(scratch / "a"); }), ErrorCode::io);
    EXPECT_EQ(code_of([&] { file_bytes(scratch / "none"); }), ErrorCode::io);
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

/// After the file is cut, zeros at the end of a page would be read as data.
TEST(File, ASmallOneStaysAsItWasRead) {
    const Scratch scratch;
    const std::string text(3000, 'x');
    write_file_atomically(scratch / "small", text);
    const MappedFile file(scratch / "small");
    std::filesystem::resize_file(scratch / "small", 10);
    EXPECT_EQ(file.text(), text);
}

/// If another process cuts a mapped file, the program ends with an error that names it.
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
                "assay: error: `.*scores.npy` was truncated while it was read");
}

TEST(Paths, NamesInAFolder) {
    const Scratch scratch;
    EXPECT_TRUE(is_empty_folder(scratch.path()));
    std::set<std::string> made;
    for (int i = 0; i < 3000; ++i) {
        made.insert(std::to_string(i));
        std::ofstream(scratch / std::to_string(i));
    }
    EXPECT_FALSE(is_empty_folder(scratch.path()));
    std::set<std::string> found;
    for_each_name_in(scratch.path(),
                     [&](std::string_view name) { return found.emplace(name).second; });
    EXPECT_EQ(found, made);
    const auto entries = entries_of(scratch.path());
    ASSERT_EQ(entries.size(), made.size());
    EXPECT_TRUE(std::equal(
        entries.begin(), entries.end(), made.begin(),
        [&](const auto& path, const auto& name) { return path == scratch.path() / name; }));
    const std::string missing =
        message_of([&] { is_empty_folder(scratch / "none"); }, ErrorCode::io);
    EXPECT_EQ(missing,
              "cannot list `" + (scratch / "none").string() + "`: No such file or directory");
}

}  // namespace
}  // namespace assay
