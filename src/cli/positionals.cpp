#include "cli/positionals.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "model/model_file_name.h"
#include "model/python/source.h"

namespace assay::cli {
namespace {

/// Recognizes "224", "-0.5" or "0.485,0.456,0.406".
bool is_of_numbers(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return std::isdigit(c) != 0; }) &&
           text.find_first_not_of("0123456789.,+-eE") == std::string_view::npos;
}

bool is_option(std::string_view argument) {
    return argument.size() > 1 && argument.front() == '-' && !is_of_numbers(argument);
}

bool is_a_model(const std::string& argument) {
    return is_python_source(argument) || is_model_name(argument);
}

bool is_there_or_a_model(const std::string& argument) {
    std::error_code error;
    return is_a_model(argument) || std::filesystem::exists(argument, error);
}

bool has_own_arguments(const CLI::App& app) {
    return std::ranges::any_of(app.get_options(),
                               [](const CLI::Option* option) { return option->get_positional(); });
}

/// Splits a command line into the command's own arguments and its options with their values.
class Split {
public:
    Split(const CLI::App& app, const std::vector<std::string>& arguments)
        : app_(app), arguments_(arguments) {
        while (at_ < arguments_.size()) {
            if (is_option(arguments_[at_])) {
                take_option();
            } else {
                own_.push_back(arguments_[at_++]);
            }
        }
    }

    /// The typed order is kept if no option would have consumed the arguments of another.
    std::vector<std::string> own_first() && {
        if (!moves_) return arguments_;
        own_.insert(own_.end(), options_.begin(), options_.end());
        return std::move(own_);
    }

private:
    bool more() const { return at_ < arguments_.size() && !is_option(arguments_[at_]); }

    void take_option() {
        const std::string& argument = arguments_[at_];
        options_.push_back(arguments_[at_++]);
        const std::size_t equals = argument.find('=');
        const CLI::Option* const option = app_.get_option_no_throw(argument.substr(0, equals));
        if (option == nullptr || option->get_items_expected_max() == 0) return;
        std::string first = equals == std::string::npos ? "" : argument.substr(equals + 1);
        // An option whose value is optional.
        if (option->get_items_expected_min() == 0 && more() && !is_of_numbers(arguments_[at_]) &&
            is_there_or_a_model(arguments_[at_])) {
            moves_ = true;
            return;
        }
        if (equals == std::string::npos && more()) options_.push_back(first = arguments_[at_++]);
        if (option->get_items_expected_max() > 1) take_values(*option, first);
    }

    void take_values(const CLI::Option& option, const std::string& first) {
        const bool numbers = is_of_numbers(first), paths = is_there_or_a_model(first);
        const bool all_its =
            option.check_lname("model") || is_a_model(first) || (!numbers && !own_.empty());
        const auto may_be_its = [&](const std::string& next) {
            if (numbers) return is_of_numbers(next);
            return paths ? !is_a_model(next) : !is_there_or_a_model(next);
        };
        bool its = true;
        while (more()) {
            const std::string& next = arguments_[at_++];
            its = its && (all_its || may_be_its(next));
            (its ? options_ : own_).push_back(next);
        }
        moves_ = moves_ || !its;
    }

    const CLI::App& app_;
    const std::vector<std::string>& arguments_;
    std::size_t at_ = 0;
    bool moves_ = false;
    std::vector<std::string> own_, options_;
};

}  // namespace

std::vector<std::string> own_arguments_first(const CLI::App& app,
                                             const std::vector<std::string>& arguments) {
    // With `--`, the user has marked the end of the values.
    if (!has_own_arguments(app) || std::ranges::find(arguments, "--") != arguments.end())
        return arguments;
    return Split(app, arguments).own_first();
}

}  // namespace assay::cli
