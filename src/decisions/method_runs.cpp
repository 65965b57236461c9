#include "decisions/method_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "assay/store/prediction_store.h"
#include "core/refuse.h"
#include "core/text.h"
#include "derived/made_from.h"

namespace assay::decisions {
namespace {

namespace fs = std::filesystem;

bool match(std::string_view pattern, std::string_view text, std::vector<std::string>& found) {
    if (pattern.empty()) return text.empty();
    const std::string_view rest = pattern.substr(1);
    if (pattern.front() == '*') {
        for (std::size_t n = 0; n <= text.size(); ++n) {
            found.emplace_back(text.substr(0, n));
            if (match(rest, text.substr(n), found)) return true;
            found.pop_back();
        }
        return false;
    }
    if (text.empty() || (pattern.front() != '?' && pattern.front() != text.front())) return false;
    if (pattern.front() == '?') found.emplace_back(text.substr(0, 1));
    if (match(rest, text.substr(1), found)) return true;
    if (pattern.front() == '?') found.pop_back();
    return false;
}

struct Place {
    fs::path path;
    std::vector<std::string> seeds;
};

/// The places that match one more part of the path.
std::vector<Place> one_further(const std::vector<Place>& places, const std::string& part) {
    std::vector<Place> out;
    for (const Place& place : places) {
        if (part.find_first_of("*?") == std::string::npos) {
            if (fs::exists(place.path / part)) out.push_back({place.path / part, place.seeds});
            continue;
        }
        const fs::path folder = place.path.empty() ? fs::path(".") : place.path;
        if (!fs::is_directory(folder)) continue;
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            const auto found = wildcards_in(part, name);
            if (!found || !entry.is_directory() || name.starts_with('.')) continue;
            Place next{place.path / name, place.seeds};
            next.seeds.insert(next.seeds.end(), found->begin(), found->end());
            out.push_back(std::move(next));
        }
    }
    return out;
}

bool comes_before(const NamedRun& a, const NamedRun& b) {
    std::uint64_t one = 0, two = 0;
    const bool first = parse_number(a.seed, one), second = parse_number(b.seed, two);
    if (first != second) return first;
    if (first && one != two) return one < two;
    return a.seed != b.seed ? a.seed < b.seed : a.store < b.store;
}

}  // namespace

std::optional<std::vector<std::string>> wildcards_in(std::string_view pattern,
                                                     std::string_view text) {
    std::vector<std::string> found;
    if (!match(pattern, text, found)) return std::nullopt;
    return found;
}

NamedMethod named_method(const std::string& text) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` is no method; give its name and its stores: --method "
                                "'resnet=runs/val/resnet-*'",
                                text));
    NamedMethod out{text.substr(0, sign), text.substr(sign + 1), {}};
    std::vector<NamedRun> copies;
    std::vector<Place> places(1);
    for (const fs::path& part : fs::path(out.pattern)) {
        if (part.empty()) continue;
        if (part.is_absolute()) {
            places = {{part, {}}};
        } else {
            places = one_further(places, part.string());
        }
    }
    for (const Place& place : places) {
        if (!fs::exists(place.path / "manifest.json") && find_stores(place.path).size() != 1)
            refuse(
                fmt::format("`{}` of method `{}` holds several stores; end the pattern with the "
                            "store of each run: --method '{}={}/*'",
                            place.path.string(), out.name, out.name, out.pattern));
        NamedRun run{fmt::format("{}", fmt::join(place.seeds, ",")),
                     find_stores(place.path).front()};
        const PredictionStore store = PredictionStore::open(run.store);
        const bool copy = derived_of(store).is_variant() || derived::is_ensemble(store);
        (copy ? copies : out.runs).push_back(std::move(run));
    }
    if (out.runs.empty()) std::swap(out.runs, copies);
    std::ranges::sort(copies, comes_before);
    for (NamedRun& copy : copies) out.copies.push_back(std::move(copy.store));
    if (out.runs.empty())
        refuse(
            fmt::format("no store matches `{}` of method `{}`; see what there is: assay list "
                        "RUNS",
                        out.pattern, out.name));
    std::ranges::sort(out.runs, comes_before);
    return out;
}

NamedMethod named_method(const GivenMethod& method) {
    if (method.name.empty() || method.name.find('=') != std::string::npos)
        throw Error(ErrorCode::usage, fmt::format("`{}` is no name of a method; allowed: a text "
                                                  "without =",
                                                  method.name));
    if (!method.pattern.empty() && !method.runs.empty())
        throw Error(
            ErrorCode::usage,
            fmt::format("method `{}` has a pattern and stores; give one of them", method.name));
    if (!method.pattern.empty()) return named_method(method.name + "=" + method.pattern);
    NamedMethod out{method.name, "", {}};
    if (method.runs.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("method `{0}` has no stores; give a pattern such as "
                                "`runs/val/{0}-seed*`, or the store of each run",
                                method.name));
    for (const GivenMethod::Run& run : method.runs) {
        const std::vector<fs::path> found = find_stores(run.store);
        if (found.size() != 1)
            refuse(fmt::format("`{}` of method `{}` holds {} stores; name one of them for each run",
                               run.store.string(), out.name, found.size()));
        out.runs.push_back({run.seed, found.front()});
    }
    std::ranges::sort(out.runs, comes_before);
    const auto twice = std::ranges::adjacent_find(out.runs, {}, &NamedRun::seed);
    if (twice != out.runs.end())
        throw Error(
            ErrorCode::usage,
            fmt::format("method `{}` has the seed `{}` twice, {} and {}; give each run its own",
                        out.name, twice->seed, twice->store.string(),
                        std::next(twice)->store.string()));
    return out;
}

}  // namespace assay::decisions
