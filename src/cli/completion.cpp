#include "cli/completion.h"

#include <algorithm>
#include <optional>
#include <span>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/description.h"
#include "cli/values.h"
#include "core/text.h"

namespace assay::cli {
namespace {

using Words = std::span<const std::string>;

std::string without_dashes(const std::string& name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

/// Reads the typed part of a command's line in the same way as the parser.
class Line {
public:
    Line(const CommandFacts& facts, Words words) : facts_(facts) {
        for (const std::string& word : words) take(word);
    }

    /// The owner of the next value, if it is not an option: an option or a plain argument; null if
    /// there is no owner.
    const OptionFacts* expected() const { return pending_ != nullptr ? pending_ : next_plain(); }
    /// A word that begins with a dash is an option.
    bool options_may_follow() const {
        return !only_plain_ && (pending_ == nullptr || taken_ >= pending_->fewest);
    }
    const Given& given() const { return given_; }
    const OptionFacts* find(std::string_view name) const {
        for (const OptionFacts& option : facts_.options) {
            if (!option.plain && std::ranges::find(option.names, name) != option.names.end())
                return &option;
        }
        return nullptr;
    }
    /// True if the option adds something to the line.
    bool is_useful(const OptionFacts& option) const {
        const auto there = [&](const std::string& name) {
            return std::ranges::find(mentioned_, name) != mentioned_.end();
        };
        if (there(option.name()) && !option.repeatable) return false;
        return std::ranges::none_of(option.excludes, there);
    }

private:
    void take(const std::string& word) {
        const bool dashed = word.size() > 1 && word.front() == '-' && !only_plain_;
        if (dashed && (pending_ == nullptr || taken_ >= pending_->fewest)) return take_option(word);
        const OptionFacts* owner = expected();
        if (owner == nullptr) return;
        give(*owner, word);
        if (owner->plain) {
            if (++taken_plain_ >= owner->most) next_plain_after(*owner);
        } else if (++taken_ >= owner->most) {
            pending_ = nullptr;
        }
    }
    void take_option(const std::string& word) {
        pending_ = nullptr;
        if (word == "--") {
            only_plain_ = true;
            return;
        }
        // -j8 means -j 8, and --out=runs means --out runs.
        const bool is_long = word.starts_with("--");
        const std::size_t end = is_long ? std::min(word.find('='), word.size()) : 2;
        const OptionFacts* option = find(word.substr(0, end));
        if (option == nullptr) return;
        mentioned_.push_back(option->name());
        if (option->is_flag()) return;
        taken_ = 0;
        if (end < word.size()) {
            give(*option, word.substr(end + (is_long ? 1 : 0)));
            taken_ = 1;
        }
        if (taken_ < option->most) pending_ = option;
    }
    void give(const OptionFacts& option, const std::string& value) {
        given_.values.emplace_back(without_dashes(option.name()), value);
    }
    const OptionFacts* next_plain() const {
        for (std::size_t i = plain_; i < facts_.options.size(); ++i) {
            if (facts_.options[i].plain) return &facts_.options[i];
        }
        return nullptr;
    }
    void next_plain_after(const OptionFacts& option) {
        plain_ = static_cast<std::size_t>(&option - facts_.options.data()) + 1;
        taken_plain_ = 0;
    }

    const CommandFacts& facts_;
    Given given_;
    std::vector<std::string> mentioned_;
    const OptionFacts* pending_ = nullptr;  ///< an option that expects the next value
    std::size_t taken_ = 0;                 ///< number of values that it already has
    std::size_t plain_ = 0;                 ///< the first option that may be the next plain one
    std::size_t taken_plain_ = 0;
    bool only_plain_ = false;  ///< behind "--"
};

Completion with(Offers&& offers, bool goes_on = false) {
    return {std::move(offers.candidates()), offers.has_paths(), goes_on, ""};
}

Completion commands_for(const std::string& typed, const std::vector<Command>& table) {
    Offers offers(typed);
    for (const Command& command : table) offers.name(command.name, command.summary);
    return with(std::move(offers));
}

void offer_values(Offers& offers, const OptionFacts& option, const Given& given) {
    if (!option.allowed.empty()) {
        for (const std::string& value : option.allowed) offers.name(value);
    } else if (const ValueKind* kind = find_value_kind(option.value);
               kind != nullptr && kind->offer != nullptr) {
        kind->offer(offers, given);
    }
}

/// The values of an option; `before` precedes each ("--format=").
Completion values_of(const OptionFacts& option, const std::string& before, const std::string& typed,
                     const Given& given) {
    // In "fog,sn", the last part is completed.
    const std::size_t comma = option.list ? typed.rfind(',') : std::string::npos;
    const std::string others = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
    Offers offers(typed.substr(others.size()));
    offer_values(offers, option, given);
    for_each_part(others, ",", [&](std::string_view other) {
        std::erase_if(offers.candidates(), [&](const Candidate& c) { return c.text == other; });
    });
    const ValueKind* kind = find_value_kind(option.value);
    Completion completion =
        with(std::move(offers), option.list || (kind != nullptr && kind->goes_on));
    for (Candidate& candidate : completion.candidates)
        candidate.text = before + others + candidate.text;
    completion.hint = option.value + ": " + in_few_words(option.help);
    return completion;
}

/// Proposes each option once, by its first name that begins with the typed text: --batch, or
/// --batch-size after --batch-s.
Completion options_for(const std::string& typed, const CommandFacts& facts, const Line& line) {
    Offers offers(typed);
    for (const OptionFacts& option : facts.options) {
        if (option.plain || !line.is_useful(option)) continue;
        std::vector<std::string> names = option.names;
        std::stable_partition(names.begin(), names.end(),
                              [](const std::string& n) { return n.starts_with("--"); });
        const auto fits = std::ranges::find_if(
            names, [&](const std::string& name) { return name.starts_with(typed); });
        if (fits != names.end()) offers.name(*fits, option.help);
    }
    return with(std::move(offers));
}

Completion arguments_for(const CommandFacts& facts, Words words) {
    const Line line(facts, words.first(words.size() - 1));
    const std::string& typed = words.back();
    if (typed.starts_with('-') && line.options_may_follow()) {
        const std::size_t equals = typed.find('=');
        if (equals == std::string::npos) return options_for(typed, facts, line);
        const OptionFacts* option = line.find(typed.substr(0, equals));
        if (option == nullptr || option->is_flag()) return {};
        return values_of(*option, typed.substr(0, equals + 1), typed.substr(equals + 1),
                         line.given());
    }
    const OptionFacts* expected = line.expected();
    if (expected != nullptr) return values_of(*expected, "", typed, line.given());
    return typed.empty() ? options_for(typed, facts, line) : Completion{};
}

const Command* find(const std::vector<Command>& table, const std::string& name) {
    const auto found = std::ranges::find(table, name, &Command::name);
    return found == table.end() ? nullptr : &*found;
}

Completion completion_of(Words words) {
    if (words.size() == 1) {
        Completion first = commands_for(words[0], commands());
        Offers options(words[0]);
        if (words[0].starts_with('-')) {
            options.name("--help", "The commands, one per line");
            options.name("--version", "Which build this is, and what it finds");
        }
        std::ranges::copy(options.candidates(), std::back_inserter(first.candidates));
        return first;
    }
    const Command* command = find(commands(), words[0]);
    if (command == nullptr) return {};
    CommandFacts facts = facts_of(*command);
    words = words.subspan(1);
    if (!facts.parts.empty()) {
        if (words.size() == 1) {
            if (!words[0].starts_with('-')) return commands_for(words[0], facts.parts);
            Offers options(words[0]);
            options.name("--help", "The " + facts.part_word + "s, one per line");
            return with(std::move(options));
        }
        const Command* part = find(facts.parts, words[0]);
        if (part == nullptr) return {};
        facts = facts_of(*part, command->name);
        words = words.subspan(1);
    }
    return arguments_for(facts, words);
}

}  // namespace

std::string in_few_words(std::string_view text) {
    constexpr std::size_t most = 70;
    if (text.size() <= most) return std::string(text);
    std::size_t end = std::min(text.find("; "), text.size());
    for (std::size_t i = text.find(". "); i < end; i = text.find(". ", i + 1)) {
        const bool shortens = i >= 2 && text[i - 2] == '.';  // "e.g. ", "... "
        if (!shortens) end = i;
    }
    std::vector<std::string> lines = folded_lines(text.substr(0, end), most);
    if (lines.size() == 1) return lines.front();
    if (lines.front().ends_with(':') || lines.front().ends_with(',')) lines.front().pop_back();
    return lines.front() + " ...";
}

Completion complete_file(const std::string& typed) {
    Offers offers(typed);
    find_value_kind("FILE")->offer(offers, {});
    return with(std::move(offers));
}

Completion complete(const std::vector<std::string>& words) {
    if (words.empty()) return {};
    try {
        Completion completion = completion_of(words);
        for (Candidate& candidate : completion.candidates)
            candidate.about = in_few_words(candidate.about);
        return completion;
    } catch (const Error&) {
        return {};
    }
}

}  // namespace assay::cli
