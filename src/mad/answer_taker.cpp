#include "mad/answer_taker.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_keys.h"
#include "mad/answer_readers.h"
#include "mad/question_finder.h"
#include "study/study_tables.h"
#include "study/times.h"

namespace assay::mad {
namespace {

constexpr std::size_t longest_annotator = 200;

/// Takes one answer after the other into the database, inside a transaction.
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
          insert_(database_.prepare("INSERT INTO answer (question, annotator, answer, at, source, "
                                    "key, counts) VALUES (?, ?, ?, ?, ?, ?, ?)")),
          outdate_(database_.prepare("UPDATE answer SET counts = 0 WHERE id = ?")),
          of_key_(database_.prepare("SELECT question, annotator, answer FROM answer "
                                    "WHERE key = ?")),
          now_(study::utc_moment_now()) {
        for (const AnnotatorRow& row : read_annotators(database_)) annotators_[row.name] = row.id;
        std::map<std::int64_t, std::string> tokens;
        for (const QuestionRow& question : questions_) tokens[question.id] = question.token;
        for (Statement row = database_.prepare("SELECT id, question, annotator, answer, at, key, "
                                               "counts FROM answer ORDER BY id");
             row.step();) {
            const Whose whose{row.integer(1), row.integer(2)};
            const std::string at = row.text(4);
            const std::string annotation = annotation_of(row.text(5), tokens[whose.first]);
            if (row.integer(6) == 1)
                counting_[whose] = {row.integer(0), static_cast<Answer>(row.count(3, 2)), at,
                                    annotation};
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
        const std::int64_t annotator = annotator_id(name, found.where);
        const Whose whose{question.id, annotator};
        std::string at = found.at;
        std::string key = found.key;
        study::check_held(key_column_, key, found.where + ": the key");
        if (key.empty()) {
            // Without a time, the times that an annotator came to this answer in this file are
            // counted, so that the same bytes deliver the same keys once more, and other bytes
            // others: what a later file says is said anew.
            std::string when = at;
            if (when.empty()) {
                InFile& so_far = in_file_[whose];
                if (so_far.last == found.answer) {
                    ++round_.repeated;
                    return;
                }
                so_far.last = found.answer;
                when = fmt::format("#{} in {}",
                                   ++so_far.times[static_cast<std::size_t>(found.answer)], file_);
            }
            key = answer_key(found, question.token, when, name);
        }
        if (at.empty()) at = now_;
        if (is_there_already(key, whose, found)) {
            ++round_.repeated;
            return;
        }
        const std::string annotation = annotation_of(key, question.token);
        if (is_taken_back(key, annotation)) {
            // Of an exported table: that it was taken back, and when.
            newest_.emplace(annotation, Version{at, whose});
            retire(annotation, whose, at, key);
            return;
        }
        record({whose, found.answer, at, key, annotation});
    }

private:
    using Whose = std::pair<std::int64_t, std::int64_t>;  // question, annotator
    struct Counting {
        std::int64_t row = 0;
        Answer answer = Answer::no;
        std::string at;
        std::string annotation;  ///< annotation_of() its key
    };
    /// Of an annotation, the newest.
    struct Version {
        std::string at;
        Whose whose;
    };
    struct Taken {
        Whose whose;
        Answer answer = Answer::no;
        std::string at, key;
        std::string annotation;
    };
    struct InFile {
        std::optional<Answer> last;
        std::array<std::uint64_t, 3> times{};
    };

    /// Where the annotation is known: a row that never counts keeps the time, so that no older
    /// version comes back.
    void take_back(const FoundAnswer& found) {
        const std::string begin = annotation_begin(found);
        const auto known = newest_.lower_bound(begin);
        if (known == newest_.end() || !known->first.starts_with(begin)) return;
        std::size_t question = 0;
        try {
            question = finder_.find(found);
        } catch (const Error&) {
            return;  // nobody is asked that: nothing of it counts
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
        of_key_.reset();
        of_key_.bind(std::string_view(key));
        if (of_key_.step()) return;
        newest = {at, whose};
        const auto counting = counting_.find(whose);
        Answer answer = Answer::cannot_say;
        if (counting != counting_.end() && counting->second.annotation == annotation) {
            answer = counting->second.answer;
            outdate_.bind(counting->second.row).run();
            counting_.erase(counting);
            ++round_.taken_back;
        }
        insert(whose, answer, at, key, false);
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
                            fmt::format("{}: the file has answers of {} and of {}, which "
                                        "cannot all be those of `{}`",
                                        found.where, whose(*one_of_file_), whose(named),
                                        shortened(options_.annotator)));
            }
            return options_.annotator;
        }
        if (named.empty()) {
            refuse(
                fmt::format("{}: it does not say whose answer it is; `assay mad answers "
                            "--annotator NAME` does",
                            found.where));
        }
        return named;
    }
    std::int64_t annotator_id(const std::string& name, const std::string& where) {
        if (const auto found = annotators_.find(name); found != annotators_.end())
            return found->second;
        study::check_held(name_column_, name, where + ": the annotator");
        if (name.size() > longest_annotator)
            refuse(fmt::format("the annotator `{}` has a name of {} bytes; allowed: up to {}",
                               shortened(name), name.size(), longest_annotator));
        database_.prepare("INSERT INTO annotator (name, blocked) VALUES (?, 0)")
            .bind(std::string_view(name))
            .run();
        return annotators_[name] = database_.last_row();
    }
    bool is_there_already(const std::string& key, const Whose& whose, const FoundAnswer& found) {
        of_key_.reset();
        of_key_.bind(std::string_view(key));
        if (!of_key_.step()) return false;
        const bool same = of_key_.integer(0) == whose.first && of_key_.integer(1) == whose.second &&
                          static_cast<Answer>(of_key_.count(2, 2)) == found.answer;
        if (!same && !found.key.empty()) {
            refuse(fmt::format("{}: the key `{}` is that of another answer", found.where,
                               shortened(key)));
        }
        return true;
    }
    /// An annotation is one, whoever it is said to be by: its newest version counts alone. Returns
    /// whether that took the place of another annotator's answer, or nothing where a newer version
    /// is there.
    std::optional<bool> make_newest(const Taken& taken) {
        if (taken.annotation.empty()) return false;
        const auto [newest, is_first] =
            newest_.emplace(taken.annotation, Version{taken.at, taken.whose});
        if (is_first) return false;
        if (taken.at < newest->second.at) return std::nullopt;
        const Whose before = std::exchange(newest->second, {taken.at, taken.whose}).whose;
        if (before == taken.whose) return false;
        const auto counting = counting_.find(before);
        if (counting == counting_.end() || counting->second.annotation != taken.annotation)
            return false;
        outdate_.bind(counting->second.row).run();
        counting_.erase(counting);
        return true;
    }
    void record(const Taken& taken) {
        const std::optional<bool> replaces = make_newest(taken);
        const auto there = counting_.find(taken.whose);
        const bool is_first = there == counting_.end();
        const bool counts = replaces && (is_first || taken.at >= there->second.at);
        const bool same = !is_first && there->second.answer == taken.answer;
        if (same) {
            ++round_.repeated;
        } else if (!counts) {
            ++round_.outdated;
        } else {
            ++(is_first && !*replaces ? round_.added : round_.changed);
        }
        if (counts && !is_first) outdate_.bind(there->second.row).run();
        insert(taken.whose, taken.answer, taken.at, taken.key, counts);
        if (counts)
            counting_[taken.whose] = {database_.last_row(), taken.answer, taken.at,
                                      taken.annotation};
    }

    void insert(const Whose& whose, Answer answer, const std::string& at, const std::string& key,
                bool counts) {
        insert_.bind(whose.first)
            .bind(whose.second)
            .bind(static_cast<std::int64_t>(answer))
            .bind(std::string_view(at))
            .bind(std::string_view(round_.file.native()))
            .bind(std::string_view(key))
            .bind(std::int64_t{counts})
            .run();
    }

    const study::Column& name_column_ = study::study_column("annotator", "name");
    const study::Column& key_column_ = study::study_column("answer", "key");
    Database& database_;
    const AnswerOptions& options_;
    AnswerRound& round_;
    std::string file_;  ///< hash of what it holds
    std::vector<QuestionRow> questions_;
    QuestionFinder finder_;
    Statement insert_, outdate_, of_key_;
    std::string now_;
    std::unordered_map<std::string, std::int64_t> annotators_;
    std::map<Whose, Counting> counting_;
    std::map<std::string, Version, std::less<>> newest_;  ///< by annotation_of() their keys
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
