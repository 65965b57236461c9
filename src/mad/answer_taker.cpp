#include "mad/answer_taker.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_keys.h"
#include "mad/answer_readers.h"
#include "mad/question_finder.h"
#include "study/answer_writer.h"
#include "study/study_tables.h"
#include "study/tags.h"
#include "study/times.h"

namespace assay::mad {
namespace {

/// Stores answers one by one in the database, inside a transaction.
class AnswerTaker {
public:
    AnswerTaker(Competition& competition, const AnswerOptions& options, std::string file_hash,
                AnswerRound& round)
        : database_(competition.impl().database),
          options_(options),
          round_(round),
          file_(std::move(file_hash)),
          questions_(read_questions(database_)),
          finder_(competition, questions_),
          writer_(database_),
          now_(study::utc_moment_now()) {
        std::map<std::int64_t, std::string> tokens;
        for (const QuestionRow& question : questions_) tokens[question.id] = question.token;
        for (Statement row = database_.prepare("SELECT question, annotator, answer, at, key "
                                               "FROM answer ORDER BY id");
             row.step();) {
            const Whose whose{row.integer(0), row.integer(1)};
            row.count(2, 2);  // if the database is damaged, nothing is stored
            const std::string at = row.text(3);
            const std::string annotation = annotation_of(row.text(4), tokens[whose.first]);
            if (annotation.empty()) continue;
            const auto [newest, is_first] = newest_.emplace(annotation, Version{at, whose});
            if (!is_first && at >= newest->second.at) newest->second = {at, whose};
        }
    }

    void take(const FoundAnswer& found) {
        if (found.taken_back) {
            take_back(found);
            return;
        }
        ++round_.read;
        const QuestionRow& question = questions_[finder_.find(found)];
        const std::string name = annotator_of_row(found);
        const std::int64_t annotator = writer_.annotator(name, found.where + ": the annotator");
        const Whose whose{question.id, annotator};
        std::string at = found.at;
        std::string key = found.key;
        study::check_held(key_column_, key, found.where + ": the key");
        if (key.empty()) {
            // Without a time, the key counts how often an annotator gave this answer in this file.
            // So the same bytes give the same keys again, and other bytes give new ones.
            std::string when = at;
            if (when.empty()) {
                InFile& so_far = in_file_[whose];
                if (so_far.last == found.answer && so_far.tags == found.tags) {
                    ++round_.repeated;
                    return;
                }
                so_far.last = found.answer;
                so_far.tags = found.tags;
                when = fmt::format("#{} in {}",
                                   ++so_far.times[static_cast<std::size_t>(found.answer)], file_);
            }
            key = answer_key(found, question.token, when, name);
        }
        if (at.empty()) at = now_;
        study::GivenAnswer given = given_answer(whose, found.answer, at, key);
        given.tags = study::stored_tags(found.tags);
        const Known known = writer_.find(given);
        if (known == Known::other && !found.key.empty()) {
            refuse(
                fmt::format("{}: the key `{}` belongs to another answer, or to other tags; to "
                            "change tags, remove the column `key`",
                            found.where, shortened(key)));
        }
        if (known != Known::nothing) {
            ++round_.repeated;
            return;
        }
        const std::string annotation = annotation_of(key, question.token);
        if (is_taken_back(key, annotation)) {
            // From an exported table: whether the answer was withdrawn, and when.
            newest_.emplace(annotation, Version{at, whose});
            retire(annotation, whose, at, key);
            return;
        }
        record(std::move(given), annotation);
    }

private:
    using Whose = std::pair<std::int64_t, std::int64_t>;  // question, annotator
    using Known = study::AnswerWriter::Known;
    /// The newest version of an annotation.
    struct Version {
        std::string at;
        Whose whose;
    };
    struct InFile {
        std::optional<Answer> last;
        std::vector<std::string> tags;  ///< of the last one
        std::array<std::uint64_t, 3> times{};
    };

    /// If the annotation is known, adds a row that never counts, so that no older version can
    /// return.
    void take_back(const FoundAnswer& found) {
        const std::string begin = annotation_begin(found);
        const auto known = newest_.lower_bound(begin);
        if (known == newest_.end() || !known->first.starts_with(begin)) return;
        std::size_t question = 0;
        try {
            question = finder_.find(found);
        } catch (const Error&) {
            return;  // the question is not asked, so nothing counts
        }
        const std::string prefix = annotation_prefix(found, questions_[question].token);
        const auto newest = newest_.find(prefix);
        if (newest == newest_.end()) return;
        const std::string at = found.at.empty() ? now_ : found.at;
        const std::string key = taken_back_key(prefix, found.at.empty() ? "in " + file_ : found.at);
        const Whose whose = newest->second.whose;
        retire(prefix, whose, at, key);
    }
    void retire(const std::string& annotation, const Whose& whose, const std::string& at,
                const std::string& key) {
        Version& newest = newest_.at(annotation);
        if (at < newest.at) return;
        study::GivenAnswer given = given_answer(whose, Answer::cannot_say, at, key);
        if (writer_.find(given) != Known::nothing) return;
        newest = {at, whose};
        if (const std::optional<Answer> said = outdate_version(annotation, whose)) {
            given.answer = *said;
            ++round_.taken_back;
        }
        writer_.write(given, false);
    }
    /// If a version of the annotation counts, makes it not count, and returns its answer.
    std::optional<Answer> outdate_version(const std::string& annotation, const Whose& whose) {
        const auto there = writer_.counting(whose.first, whose.second);
        // The key of a version continues with its answer and time.
        if (!there || !there->key.starts_with(annotation)) return std::nullopt;
        writer_.outdate(whose.first, whose.second);
        return there->answer;
    }
    std::string annotator_of_row(const FoundAnswer& found) {
        const std::string named(trimmed(found.annotator));
        if (!options_.annotator.empty()) {
            if (!one_of_file_) one_of_file_ = named;
            if (named != *one_of_file_) {
                const auto whose = [](const std::string& name) {
                    return name.empty() ? "nobody by name" : fmt::format("`{}`", shortened(name));
                };
                throw Error(ErrorCode::usage,
                            fmt::format("{}: the file has answers of {} and of {}, so they cannot "
                                        "all belong to `{}`; omit --annotator",
                                        found.where, whose(*one_of_file_), whose(named),
                                        shortened(options_.annotator)));
            }
            return options_.annotator;
        }
        if (named.empty()) {
            refuse(
                fmt::format("{}: the annotator is missing; pass `--annotator NAME`", found.where));
        }
        return named;
    }
    /// Only the newest version of an annotation counts, even if its author changes. Returns
    /// whether it replaced another annotator's answer, or nothing if a newer version
    /// exists.
    std::optional<bool> make_newest(const study::GivenAnswer& given,
                                    const std::string& annotation) {
        if (annotation.empty()) return false;
        const Version version{given.at, {given.question, given.annotator}};
        const auto [newest, is_first] = newest_.emplace(annotation, version);
        if (is_first) return false;
        if (version.at < newest->second.at) return std::nullopt;
        const Whose before = std::exchange(newest->second, version).whose;
        return before != version.whose && outdate_version(annotation, before).has_value();
    }
    /// Without tags, the same answer keeps those that its annotator added before.
    void record(study::GivenAnswer given, const std::string& annotation) {
        const std::optional<bool> replaces = make_newest(given, annotation);
        const auto there = writer_.counting(given.question, given.annotator);
        const bool counts = replaces && (!there || given.at >= there->at);
        const bool is_same = there && there->answer == given.answer;
        if (is_same && counts && given.tags.empty()) given.tags = there->tags;
        if (is_same && (given.tags.empty() || given.tags == there->tags)) {
            ++round_.repeated;
        } else if (!counts) {
            ++round_.outdated;
        } else {
            ++(!there && !*replaces ? round_.added : round_.changed);
        }
        writer_.write(given, counts);
    }
    study::GivenAnswer given_answer(const Whose& whose, Answer answer, const std::string& at,
                                    const std::string& key) const {
        return {whose.first, whose.second, answer, at, round_.file.native(), key};
    }

    const study::Column& key_column_ = study::study_column("answer", "key");
    Database& database_;
    const AnswerOptions& options_;
    AnswerRound& round_;
    std::string file_;  ///< hash of its contents
    std::vector<QuestionRow> questions_;
    QuestionFinder finder_;
    study::AnswerWriter writer_;
    std::string now_;
    /// the newest version of each annotation, by annotation_of() its keys
    std::map<std::string, Version, std::less<>> newest_;
    std::map<Whose, InFile> in_file_;
    std::optional<std::string> one_of_file_;
};

}  // namespace

void take_answers(Competition& competition, const AnswerOptions& options, AnswerRound& round) {
    const MappedFile file(options.file);
    Transaction all(competition.impl().database);
    AnswerTaker taker(competition, options, hash_bytes(file.bytes()), round);
    AnswerSink sink;
    sink.found = [&](const FoundAnswer& found) { taker.take(found); };
    read_found_answers(file.text(), options.file.string(), sink);
    round.skipped = sink.skipped;
    all.commit();
}

}  // namespace assay::mad
