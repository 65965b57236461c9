// The members of a Service.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "assay/labelling/service.h"
#include "core/file.h"
#include "labelling/assignment.h"
#include "labelling/board.h"
#include "labelling/book.h"
#include "study/annotator_links.h"
#include "study/answer_writer.h"

namespace assay::labelling {

struct Service::Impl {
    std::filesystem::path folder;
    ServiceOptions options;
    FileLock lock;  ///< allows one service at a time
    std::unique_ptr<AnswerBook> book;
    study::People people;
    study::AnswerWriter writer;
    Board board;
    Assignment assignment;
    std::unordered_map<std::int64_t, std::int64_t> annotator_of;                ///< of a person
    using Screens = std::map<std::int64_t, std::unordered_set<std::uint32_t>>;  ///< of annotators
    Screens given;    ///< screens, including those that others answer now
    Screens trained;  ///< screens answered in training, after which the known answer was shown
    std::map<std::string, std::uint64_t> tags;  ///< of the answers, with their numbers
    std::map<std::string, std::string> failed;  ///< files that cannot be shown, and the reason
    /// For an annotator: the time of the last answer, and the times between screens in seconds.
    struct Pace {
        double last = 0;
        std::vector<float> between;
    };
    std::map<std::int64_t, Pace> paces;
    struct Inode {
        std::uint64_t device = 0, number = 0;
        bool operator==(const Inode&) const = default;
    } file;                                  ///< the database's file when it was opened
    bool together = false;                   ///< true between begin() and commit()
    std::optional<Transaction> transaction;  ///< begun by the first answer
    std::set<std::int64_t> handed;           ///< people whose held screens differ from
                                             ///< people.sqlite
    std::int64_t seen_version = 0;           ///< version of the database when it was read
    bool reread = false;                     ///< true if the wanted questions may have changed
    double read_at = 0;

    // The most recent status for the organizer.
    ServiceStatus told;
    bool changed = true;
    double told_at = 0, telling_took = 0;
    std::vector<std::string> outlook;
    double outlook_at = 0, outlook_took = 0;

    Impl(const std::filesystem::path& where, const ServiceOptions& how);

    double now() const { return options.clock(); }
    /// Call this before writing.
    void writing();
    /// Stores which person holds which screens, so that this survives a restart.
    void keep_held();
    void take_up_held();
    /// Stops or resumes asking the questions about an image.
    void skip(std::uint32_t image, bool skipped);
    /// Reads all answers again. People keep held screens that still exist.
    void read();
    Assignment::Worker& worker(std::int64_t person);
    Screen shown(const Assignment::Worker& worker, std::uint32_t screen, bool with_said) const;
    TakenScreen take(std::int64_t person, const GivenScreen& said, const std::string& at);
    /// Adds the tags of an answer to `tags`, or removes them if it no longer counts.
    void count_tags(const std::vector<std::string>& of_answer, bool counts);
    /// Welcome::tags.
    std::vector<std::string> suggested_tags() const;
    bool was_given(std::int64_t annotator, std::uint32_t screen) const;
    bool was_trained(const Assignment::Worker& worker, std::uint32_t screen) const;
    void note_pace(std::int64_t annotator, const std::string& at);
    /// Reads from the tables the given answers, their times, and which screens were training.
    void read_past();
    /// Throws io if the file was replaced, because writes would be lost.
    void check_file() const;
    std::optional<std::uint32_t> screen_named(std::string_view token) const;
    std::uint64_t questions_open(ServiceStatus& status) const;
    void name_problems(ServiceStatus& status) const;
    void describe();
};

}  // namespace assay::labelling
