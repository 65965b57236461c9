// The notes of a report, in addition to its results.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace assay {

struct Said {
    std::vector<std::string> warnings;
    std::vector<std::string> left_out;  ///< whole sentences
    bool partial = false;

    void warn(const std::string& text) { add(warnings, text); }
    void leave_out(const std::string& text) { add(left_out, text); }

private:
    /// Models of one data set often have the same note.
    static void add(std::vector<std::string>& list, const std::string& text) {
        if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
    }
};

}  // namespace assay
