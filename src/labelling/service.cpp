#include "assay/labelling/service.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "assay/labelling/folder.h"
#include "assay/mad/competition.h"
#include "containers/csv.h"
#include "core/add_once.h"
#include "core/refuse.h"
#include "labelling/service_impl.h"
#include "study/study_file.h"
#include "study/table_csv.h"
#include "study/tags.h"

namespace assay::labelling {
namespace {

constexpr std::string_view data_version = "PRAGMA data_version";

double steady_seconds() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// The tags trimmed and each once, in the order in which the page shows them.
std::vector<std::string> checked_suggestions(const std::vector<std::string>& tags) {
    constexpr std::size_t most_given = 100;
    std::vector<std::string> out;
    try {
        for (const std::string& text : tags) {
            const std::vector<std::string> tag = study::checked_tags({text}, "--tag");
            if (tag.empty()) refuse("--tag: a tag is empty");
            add_once(out, tag.front());
        }
        if (out.size() > most_given)
            refuse(fmt::format("--tag: {} tags; allowed: up to {}", out.size(), most_given));
    } catch (const Error& error) {
        throw Error(ErrorCode::usage, error.message());
    }
    return out;
}

ServiceOptions checked(ServiceOptions options) {
    if (!options.clock) options.clock = steady_seconds;
    if (options.ahead < 1 || options.ahead > 16) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} screens held at once; allowed: 1 to 16", options.ahead));
    }
    options.tags = checked_suggestions(options.tags);
    return options;
}

std::unique_ptr<AnswerBook> open_book(const std::filesystem::path& folder,
                                      const std::filesystem::path& definitions) {
    if (mad::is_competition(folder)) return open_competition_book(folder, definitions);
    if (is_labelling_folder(folder)) {
        if (!definitions.empty()) {
            throw Error(ErrorCode::usage, fmt::format("{}: its definitions were fixed when it was "
                                                      "made; make a new folder to change them",
                                                      folder.string()));
        }
        return open_folder_book(folder);
    }
    refuse(
        fmt::format("{}: neither a competition (`assay mad init`) nor a folder of questions "
                    "(`assay serve --questions`)",
                    folder.string()));
}

}  // namespace

Service::Impl::Impl(const std::filesystem::path& where, const ServiceOptions& how)
    : folder(where),
      options(checked(how)),
      lock([&] {
          // Otherwise the lock would create a file in a folder of another kind.
          if (!mad::is_competition(where) && !is_labelling_folder(where))
              open_book(where, how.definitions);
          return study::lock_to_serve(where);
      }()),
      book(open_book(where, how.definitions)),
      people(where),
      writer(book->database()) {
    struct stat info {};
    if (::stat(book->database().path().c_str(), &info) == 0) file = {info.st_dev, info.st_ino};
    read();
    take_up_held();
}

void Service::Impl::check_file() const {
    struct stat info {};
    const std::filesystem::path& path = book->database().path();
    if (::stat(path.c_str(), &info) == 0 && Inode{info.st_dev, info.st_ino} == file) return;
    throw Error(ErrorCode::io, fmt::format("{}: the file was replaced while `assay serve` runs, so "
                                           "answers cannot be saved; restart it",
                                           path.string()));
}

std::vector<std::string> Service::Impl::suggested_tags() const {
    constexpr std::size_t most_suggested = 50;
    std::vector<std::pair<std::string, std::uint64_t>> used(tags.begin(), tags.end());
    std::stable_sort(used.begin(), used.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> out = options.tags;
    for (const auto& [tag, times] : used) {
        if (out.size() >= most_suggested) break;
        add_once(out, tag);
    }
    return out;
}

void Service::Impl::take_up_held() {
    for (const auto& [person, token] : people.held()) {
        const std::optional<std::uint32_t> screen = screen_named(token);
        if (!screen || annotator_of.count(person) == 0 || people.of(person).revoked) continue;
        Assignment::Worker& who = worker(person);
        who.last = now();
        if (who.answered.count(*screen) == 0) assignment.hold(board, who, *screen);
    }
}

void Service::Impl::keep_held() {
    if (handed.empty()) return;
    std::map<std::int64_t, std::vector<std::string>> screens;
    for (const std::int64_t person : handed) {
        std::vector<std::string>& tokens = screens[person];
        for (const std::uint32_t s : worker(person).holds)
            tokens.push_back(board.contents().questions[board.questions_of(s).front()].token);
    }
    people.keep_held(screens);
    handed.clear();
}

void Service::Impl::read() {
    std::vector<std::pair<std::int64_t, std::string>> held;  // annotator, screen
    std::map<std::int64_t, double> heard;
    for (const auto& [annotator, worker] : assignment.workers()) {
        heard[annotator] = worker.last;
        for (const std::uint32_t s : worker.holds)
            held.push_back({annotator, board.contents().questions[board.questions_of(s)[0]].token});
    }
    seen_version = book->database().integer(data_version);
    Contents contents = book->contents();
    const std::vector<study::AnnotatorRow> annotators = study::read_annotators(book->database());
    annotator_of.clear();
    std::map<std::int64_t, std::string> names;
    for (const study::AnnotatorRow& row : annotators) {
        names[row.id] = row.name;
        if (const Person* person = people.named(row.name)) annotator_of[person->id] = row.id;
    }
    board = Board(std::move(contents), book->votes, book->settles_early, annotators,
                  study::read_answers(book->database(), true));
    for (std::size_t i = 0; i < board.contents().images.size(); ++i)
        if (failed.count(board.contents().images[i].path.string()) > 0)
            board.skip(static_cast<std::uint32_t>(i), true);
    assignment.begin(board, options.training);
    read_past();
    tags.clear();
    if (book->takes_tags) {
        for (const study::TaggedAnswer& answer :
             study::read_tagged_answers(book->database(), study::StudyKind::competition))
            for (const std::string& tag : answer.tags) ++tags[tag];
    }
    for (const auto& [annotator, last] : heard)
        if (names.count(annotator) > 0)
            assignment.worker(board, annotator, names[annotator]).last = last;
    for (const auto& [annotator, token] : held) {
        const std::optional<std::uint32_t> screen = screen_named(token);
        if (!screen || names.count(annotator) == 0 || board.is_blocked(annotator)) continue;
        Assignment::Worker& worker = assignment.worker(board, annotator, names[annotator]);
        if (worker.answered.count(*screen) == 0) assignment.hold(board, worker, *screen);
    }
    reread = false;
    read_at = now();
    changed = true;
}

void Service::Impl::writing() {
    if (together && !transaction) transaction.emplace(book->database());
}

void Service::Impl::skip(std::uint32_t image, bool skipped) {
    board.skip(image, skipped);
    for (const std::uint32_t q : board.questions_about(image))
        assignment.update(board, board.screen_of(q));
    changed = true;
}

std::optional<std::uint32_t> Service::Impl::screen_named(std::string_view token) const {
    const std::optional<std::uint32_t> question = board.find(token);
    if (!question) return std::nullopt;
    const std::uint32_t screen = board.screen_of(*question);
    if (board.questions_of(screen).front() != *question) return std::nullopt;
    return screen;
}

Assignment::Worker& Service::Impl::worker(std::int64_t person) {
    const Person& who = people.of(person);
    const auto [at, is_new] = annotator_of.try_emplace(person);
    if (is_new) {
        writing();
        at->second = writer.annotator(who.name, "the annotator");
    }
    return assignment.worker(board, at->second, who.name);
}

Service::Service(const std::filesystem::path& folder, const ServiceOptions& options)
    : impl_(std::make_unique<Impl>(folder, options)) {}
Service::~Service() = default;
Service::Service(Service&&) noexcept = default;

Person Service::add_person(std::string_view name) {
    impl_->told_at = 0;
    return impl_->people.add(name);
}

std::vector<Person> Service::people() const {
    return impl_->people.all();
}

std::optional<std::int64_t> Service::person_of(std::string_view token, bool* revoked) const {
    return impl_->people.whose(token, revoked);
}

Person Service::new_link(std::int64_t person) {
    impl_->told_at = 0;
    return impl_->people.new_link(person);
}

void Service::revoke(std::int64_t person, bool revoked) {
    impl_->told_at = 0;
    impl_->people.revoke(person, revoked);
    const auto annotator = impl_->annotator_of.find(person);
    if (!revoked || annotator == impl_->annotator_of.end()) return;
    impl_->assignment.release_all(impl_->board, annotator->second);
    impl_->handed.insert(person);
}

void Service::block(std::string_view name, bool blocked, std::string_view reason) {
    impl_->told_at = 0;
    // People who have not answered yet may be blocked, too.
    if (const Person* person = impl_->people.named(name)) impl_->worker(person->id);
    impl_->writing();
    study::block_annotator(impl_->book->database(), impl_->folder.string(), name, blocked, reason);
    impl_->read();
}

void Service::pause(bool paused) {
    impl_->told_at = 0;
    impl_->people.pause(paused);
}

std::optional<std::filesystem::path> Service::image_of(std::int64_t person,
                                                       std::string_view question) const {
    const std::optional<std::uint32_t> q = impl_->board.find(question);
    if (!q) return std::nullopt;
    if (person != 0) {
        const std::uint32_t screen = impl_->board.screen_of(*q);
        const auto annotator = impl_->annotator_of.find(person);
        if (annotator == impl_->annotator_of.end()) return std::nullopt;
        if (!impl_->was_given(annotator->second, screen)) return std::nullopt;
    }
    const Contents& contents = impl_->board.contents();
    return contents.images[contents.questions[*q].image].path;
}

void Service::image_failed(std::string_view question, std::string_view why) {
    const std::optional<std::uint32_t> q = impl_->board.find(question);
    if (!q) return;
    const Contents& contents = impl_->board.contents();
    const std::uint32_t image = contents.questions[*q].image;
    if (impl_->failed.emplace(contents.images[image].path.string(), why).second)
        impl_->skip(image, true);
}

void Service::retry_images() {
    impl_->told_at = 0;
    impl_->failed.clear();
    impl_->read();
}

std::string Service::answers_csv() const {
    if (mad::is_competition(impl_->folder)) return study::answers_csv(impl_->book->database());
    std::string text;
    write_answers_csv(impl_->folder, [&](std::string_view piece) { text += piece; });
    return text;
}

void Service::begin() {
    impl_->together = true;
    impl_->people.begin();
}

bool Service::commit() {
    impl_->together = false;
    try {
        impl_->check_file();
        impl_->keep_held();
        const bool wrote = impl_->transaction.has_value();
        if (wrote) impl_->transaction->commit();
        impl_->transaction.reset();
        // Links come last. If the answers cannot be stored, the links must not be either.
        impl_->people.commit();
        return wrote;
    } catch (...) {
        abandon();
        throw;
    }
}

void Service::abandon() {
    impl_->together = false;
    impl_->transaction.reset();
    impl_->people.abandon();
    impl_->annotator_of.clear();
    impl_->read();
}

void Service::refresh() {
    impl_->check_file();
    const bool elsewhere = impl_->book->database().integer(data_version) != impl_->seen_version;
    // Several questions in a row may become unclear, and each read takes time.
    constexpr double pause = 1;
    if (elsewhere || (impl_->reread && impl_->now() - impl_->read_at >= pause)) impl_->read();
}

}  // namespace assay::labelling
