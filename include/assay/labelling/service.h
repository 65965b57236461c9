// A labelling study while people work on it: who may answer, who is asked what next, answers kept
// as they come, and what the organiser wants to know. It knows nothing of networks: assay::serve
// puts it behind HTTP.
//
// Answers of several people that come at once are one transaction: what is called between begin()
// and commit() is told to nobody before commit() has returned. After a failure the service is as
// the files are.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/estimate.h"
#include "assay/labelling/task.h"
#include "assay/study/person.h"

namespace assay::labelling {

struct ServiceOptions {
    /// Questions with known answers that everybody answers first and is told the answer of; at most
    /// half of those that there are. Their answers count as any others: they are given before the
    /// feedback. 0: no training.
    std::uint32_t training = 5;
    /// Screens that one person holds at once, the one that is looked at among them.
    std::uint32_t ahead = 4;
    /// Who says nothing for so long gives back what he holds.
    std::chrono::seconds lease{15 * 60};
    /// As FolderOptions::definitions, of a competition.
    std::filesystem::path definitions;
    /// Seconds since some moment, for tests; empty: a steady clock.
    std::function<double()> clock;
};

using study::Person;

struct Cell {
    std::string question;     ///< token; names its image, too
    std::uint32_t label = 0;  ///< place in Screen::labels
};
struct Screen {
    std::string token;  ///< names it
    bool training = false;
    std::vector<LabelText> labels;
    std::vector<Cell> cells;
    /// What this person said before, where the screen is shown again; one a cell, or empty.
    std::vector<Answer> said;
};

/// What a person says to a screen.
struct GivenScreen {
    std::string screen;
    std::string key;  ///< 8 to 64 letters, digits and -: a repeated delivery has the same one
    /// Every question of the screen, once; of a grid, those whose images could be shown.
    std::vector<std::pair<std::string, Answer>> answers;
};
/// 8 to 64 letters, digits and -.
bool is_answer_key(std::string_view key);

struct Feedback {
    std::string question;
    Answer known = Answer::no;
    bool correct = false;
};
struct TakenScreen {
    enum class State : std::uint8_t {
        recorded,
        repeated,  ///< the same key with the same answers was here before
        refused,   ///< as `message` says; nothing of it is kept, and it will not help to repeat it
    };
    std::string key;
    State state = State::recorded;
    std::string message;
    std::vector<Feedback> feedback;  ///< of training screens
};

struct Work {
    enum class State : std::uint8_t {
        work,
        paused,   ///< by the organiser; answers are taken all the same
        nothing,  ///< nothing is left to ask this person now
    };
    State state = State::work;
    std::vector<TakenScreen> taken;  ///< one for each that was given, in order
    std::vector<Screen> screens;     ///< further ones, in the order of asking
    /// Of this person: screens answered, and those that could still be asked.
    std::uint64_t answered = 0, left = 0;
    std::uint32_t training = 0, training_done = 0;
};

/// What a page shows before anything else.
struct Welcome {
    std::string study;  ///< of this folder alone; says nothing about it
    std::string title;
    std::string name;
    Task task = Task::yes_no;
    std::uint32_t ahead = 0;
    std::uint32_t training = 0, training_done = 0;
    bool paused = false;
};

struct PersonStatus {
    std::int64_t id = 0;  ///< of the person; 0: answers by an annotator without a link
    std::string name;
    bool revoked = false, blocked = false;
    bool here = false;  ///< said something in the last two minutes
    std::uint64_t answers = 0, yes = 0, cannot_say = 0;
    std::uint64_t holding = 0;                 ///< screens
    std::optional<double> seconds_per_screen;  ///< median; breaks of five minutes and more left out
    Estimate gold;                             ///< proportion of known answers given as known
    Estimate agreement;                 ///< with the majority of the others, where there is one
    std::vector<std::string> findings;  ///< what speaks against the annotator
};
struct ImageProblem {
    std::string question;  ///< token
    std::string image;     ///< id
    std::string path;
    std::string why;
};
struct ServiceStatus {
    std::string title;
    Task task = Task::yes_no;
    std::string folder;
    /// Those that are asked: settled (or with all answers), open, or skipped for want of an image.
    std::uint64_t questions = 0, settled = 0, open = 0, skipped = 0;
    std::uint64_t known = 0;      ///< of `questions`
    std::uint64_t untouched = 0;  ///< of `open`: no answer counts
    std::uint64_t unclear = 0;    ///< of `settled`: people cannot judge
    std::uint64_t answers = 0;
    /// Answers that are needed at least until nothing is open, and the hours that people like those
    /// who are here take for them.
    std::uint64_t answers_left = 0;
    std::optional<double> hours_left;
    /// Of the pairs of answers to a question, the proportion that agree; mean over questions.
    Estimate agreement;
    bool paused = false;
    std::vector<PersonStatus> people;
    std::vector<ImageProblem> problems;  ///< the first hundred
    std::vector<std::string> outlook;    ///< sentences: what is known, what comes next
    std::vector<std::string> warnings;
    double seconds_old = 0;  ///< since it was worked out
};

/// One thread at a time.
class Service {
public:
    /// `folder`: a competition or a folder of questions. One service at a time has it. Throws
    /// bad_input: neither, damaged, nothing is asked yet; busy: another server has it; io.
    explicit Service(const std::filesystem::path& folder, const ServiceOptions& options = {});
    ~Service();
    Service(Service&&) noexcept;

    // ---- people ----
    /// With the link that they have already, where they are known. Throws usage: an empty name, one
    /// of more than 200 bytes or with control characters.
    Person add_person(std::string_view name);
    std::vector<Person> people() const;
    /// The person whose token it is; nothing: nobody's, or revoked (then `revoked` is set). Takes
    /// as long whatever the token is.
    std::optional<std::int64_t> person_of(std::string_view token, bool* revoked = nullptr) const;
    /// The old link is dead. Throws usage: unknown.
    Person new_link(std::int64_t person);
    void revoke(std::int64_t person, bool revoked);
    /// Leaves what an annotator said out of everything, or takes it in again; keeps it anyway.
    void block(std::string_view name, bool blocked, std::string_view reason);

    // ---- work ----
    Welcome welcome(std::int64_t person) const;
    /// Takes what is given, in order, and asks on. `holding`: tokens of screens that the page has
    /// and has not answered yet; those are kept for it (and others that it held are not).
    Work work(std::int64_t person, const std::vector<GivenScreen>& given,
              const std::vector<std::string>& holding, std::uint32_t wanted);
    /// A screen that this person answered before, to look at and to answer anew; nothing where it
    /// is not one of those, or was a training screen.
    std::optional<Screen> answered(std::int64_t person, std::string_view screen) const;
    /// The image of a question that this person was ever given (organiser: 0, any), as a file;
    /// nothing: not his to see.
    std::optional<std::filesystem::path> image_of(std::int64_t person,
                                                  std::string_view question) const;
    /// The image cannot be shown: its questions are not asked until retry_images().
    void image_failed(std::string_view question, std::string_view why);
    void retry_images();

    // ---- the organiser ----
    void pause(bool paused);
    /// Cost: a read of all answers; kept until something changes.
    const ServiceStatus& status();
    /// What people said so far, for the readers of this task (of competitions: as
    /// `assay mad answers` reads it).
    std::string answers_csv() const;

    // ---- transactions ----
    void begin();
    /// Whether there was something to write of answers and annotators. Throws io, busy: nothing of
    /// it is kept, and the service has read the files anew.
    bool commit();
    /// Instead of commit(), after something threw: likewise.
    void abandon();
    /// Reads anew what other programs have changed since; cheap where nothing has.
    void refresh();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::labelling
