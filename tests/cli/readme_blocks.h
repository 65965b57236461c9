// The blocks of output in README.md and in the first tutorial, for tests that compare them with
// what the program prints.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace assay {

/// The blocks of both pages that are not code in a language, each as its lines.
inline std::vector<std::vector<std::string>> blocks_of_readme() {
    std::vector<std::vector<std::string>> blocks;
    std::istringstream text(slurp(ASSAY_SOURCE_DIR "/README.md") +
                            slurp(ASSAY_SOURCE_DIR "/docs/tutorial-first-evaluation.md"));
    bool inside = false, output = false;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with("```")) {
            inside = !inside;
            output = inside && line == "```";
            if (output) blocks.emplace_back();
        } else if (output) {
            blocks.back().push_back(line);
        }
    }
    return blocks;
}

/// The only block that contains this text.
inline std::vector<std::string> block_with(const std::string& text) {
    std::vector<std::string> found;
    for (const std::vector<std::string>& block : blocks_of_readme()) {
        const auto has = [&](const std::string& line) {
            return line.find(text) != std::string::npos;
        };
        if (std::ranges::none_of(block, has)) continue;
        EXPECT_TRUE(found.empty()) << "two blocks have " << text;
        found = block;
    }
    return found;
}

inline std::vector<std::string> words_of(const std::string& line) {
    std::istringstream text(line);
    return {std::istream_iterator<std::string>(text), {}};
}

/// Reduces blanks in lines to one, because the width of columns depends on the numbers.
inline std::vector<std::string> unaligned(const std::vector<std::string>& lines) {
    std::vector<std::string> out;
    for (const std::string& line : lines) {
        const std::string plain = std::regex_replace(
            fmt::format("{}", fmt::join(words_of(line), " ")), std::regex("(\u2500)+"), "\u2500");
        if (!plain.empty()) out.push_back(plain);
    }
    return out;
}

}  // namespace assay
