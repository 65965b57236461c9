#include "core/plugin_table.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <mutex>

#include "core/child_trial.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* table_symbol = "assay_plugin_v1";
constexpr int most_functions = 64;
constexpr std::size_t longest_message = 512;
constexpr double largest_plugin_value = 1e6;  // sums of values stay exact below 2^20
constexpr int largest_min_side = 4096;
constexpr std::uint64_t longest_python = std::uint64_t{16} << 20;

bool is_plugin_name(std::string_view text, std::string_view more) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
               more.find(c) != std::string_view::npos;
    });
}

/// Checks one table, row by row.
class TableCheck {
public:
    explicit TableCheck(const fs::path& file) : where_(file.string()) {}

    void operator()(const assay_plugin& table) {
        if (table.version != ASSAY_PLUGIN_VERSION)
            refuse(
                fmt::format("{} was built for version {} of the plug-in interface; this program "
                            "needs version {}: compile it with this program's assay/plugin.h",
                            where_, table.version, ASSAY_PLUGIN_VERSION));
        if (table.size != static_cast<std::int32_t>(sizeof(assay_plugin)))
            refuse(
                fmt::format("{}: `{}` has {} bytes, and this program needs {}: compile it with "
                            "this program's assay/plugin.h",
                            where_, table_symbol, table.size, sizeof(assay_plugin)));
        check_count(table.metric_count, table.metrics, "metrics");
        check_count(table.corruption_count, table.corruptions, "corruptions");
    }
    void operator()(const PluginTable& plugin) {
        if (plugin.metrics.empty() && plugin.corruptions.empty())
            refuse(where_ + " has no metrics and no corruptions");
        for (const PluginMetric& metric : plugin.metrics) {
            check_name(metric.name, metric.values != nullptr || metric.apart);
            check(metric);
        }
        names_.clear();
        for (const PluginCorruption& corruption : plugin.corruptions) {
            check_name(corruption.name, corruption.apply != nullptr || corruption.apart);
            check(corruption);
        }
    }

private:
    void check_count(int count, const void* rows, const char* what) const {
        if (count < 0 || count > most_functions || (count > 0 && rows == nullptr))
            refuse(fmt::format("{} has {} {}{}; allowed: 0 to {}", where_, count, what,
                               rows == nullptr ? " at no address" : "", most_functions));
    }
    void check_name(const char* given, bool has_function) {
        const std::string name = given == nullptr ? "" : given;
        if (!is_plugin_name(name, ""))
            refuse(
                fmt::format("{}: a function is named `{}`; allowed: a-z, 0-9 and _", where_, name));
        if (!has_function) refuse(fmt::format("{}: `{}` has no function", where_, name));
        if (std::ranges::find(names_, name) != names_.end())
            refuse(fmt::format("{} has two functions named `{}`", where_, name));
        names_.push_back(name);
    }
    void check_text(const char* text, const char* what) const {
        if (text == nullptr || *text == '\0')
            refuse(fmt::format("{}: `{}` has no {}", where_, names_.back(), what));
    }
    void check(const assay_plugin_metric& m) const {
        check_text(m.title, "title");
        check_text(m.formula, "formula");
        if (m.needs < 0 || m.needs > ASSAY_PLUGIN_NEEDS_LABEL_SET || m.unit < 0 ||
            m.unit > ASSAY_PLUGIN_PROPORTION || m.better < -1 || m.better > 1)
            refuse(
                fmt::format("{}: `{}` has needs {}, unit {} and better {}; assay/plugin.h lists "
                            "what is allowed",
                            where_, m.name, m.needs, m.unit, m.better));
        if (!(std::abs(m.low) <= largest_plugin_value && std::abs(m.high) <= largest_plugin_value &&
              m.low < m.high))
            refuse(
                fmt::format("{}: `{}` has values from {} to {}; allowed: a range within -1e6 to "
                            "1e6",
                            where_, m.name, m.low, m.high));
    }
    void check(const assay_plugin_corruption& c) const {
        check_text(c.parameters, "parameters");
        if (c.min_side < 1 || c.min_side > largest_min_side)
            refuse(fmt::format("{}: `{}` has min_side {}; allowed: 1 to {}", where_, c.name,
                               c.min_side, largest_min_side));
    }

    std::string where_;
    std::vector<std::string> names_;
};

/// The library stays open from this point on.
const assay_plugin& table_in(const fs::path& file) {
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) refuse(fmt::format("cannot open the plug-in: {}", ::dlerror()));
    const void* const table = ::dlsym(library, table_symbol);
    if (table == nullptr)
        refuse(fmt::format("{} exports no `{}`, so it is not a plug-in; docs/plugins.md shows one",
                           file.string(), table_symbol));
    return *static_cast<const assay_plugin*>(table);
}

/// Adds the rows of a library that this process has opened.
void add_rows(PluginTable& plugin) {
    const assay_plugin& table = table_in(plugin.file);
    TableCheck{plugin.file}(table);
    for (int m = 0; m < table.metric_count; ++m) plugin.metrics.push_back({table.metrics[m], {}});
    for (int c = 0; c < table.corruption_count; ++c)
        plugin.corruptions.push_back({table.corruptions[c], {}});
    TableCheck{plugin.file}(plugin);
}

void check_file(const fs::path& file, const std::string& name) {
    if (is_folder(file))
        refuse(file.string() + " is a folder; a plug-in is a shared library or a Python file");
    if (!is_plugin_name(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-"))
        refuse(
            fmt::format("{}: its functions are named after the file, and `{}` is not a valid name; "
                        "allowed: letters, digits, - and _",
                        file.string(), name));
}

}  // namespace

std::string PluginTable::name_of(std::string_view function) const {
    return fmt::format("{}:{}", name, function);
}

std::string PluginTable::definition_of(std::string_view function) const {
    return fmt::format("plugin.{}.{}@{}", name, function, hash);
}

const PluginTable& open_plugin(const fs::path& given, ReadPythonPlugin read_python) {
    static std::mutex mutex;
    static std::deque<PluginTable> opened;
    const std::scoped_lock lock(mutex);
    const fs::path file = absolute_path(given);
    PluginTable plugin{file, file.stem().string(), {}, {}, {}};
    check_file(file, plugin.name);
    const bool is_python = file.extension() == ".py";
    std::string source;
    if (is_python) source = read_text(file, longest_python);
    // Hashes the bytes that will run, even if the file changes meanwhile.
    const std::string digest = is_python ? hash_text(source) : hash_file(file);
    plugin.hash = digest.substr(digest.find(':') + 1, 12);
    for (const PluginTable& other : opened) {
        if (other.name != plugin.name) continue;
        if (other.hash == plugin.hash) return other;
        if (other.file == file)
            refuse(file.string() + " has changed since it was opened; start the program again");
        refuse(fmt::format("{}: another plug-in named `{}` is open ({}); rename one of the files",
                           file.string(), plugin.name, other.file.string()));
    }
    if (is_python) {
        read_python(plugin, std::move(source));
        TableCheck{file}(plugin);
    } else {
        try_in_child(file.string(), [plugin] {
            PluginTable tried = plugin;
            add_rows(tried);
        });
        add_rows(plugin);
    }
    return opened.emplace_back(std::move(plugin));
}

std::string_view kept_text(std::string text) {
    static std::mutex mutex;
    static std::deque<std::string> kept;
    const std::scoped_lock lock(mutex);
    return kept.emplace_back(std::move(text));
}

void call_plugin(std::string_view name, std::int64_t expected, std::string_view of_what,
                 const std::function<std::int64_t(char* error, std::size_t size)>& call) {
    std::array<char, longest_message> error{};
    const std::int64_t made = call(error.data(), error.size());
    error.back() = '\0';
    if (made == -1)
        refuse(fmt::format("{}: {}", name,
                           error[0] != '\0' ? error.data() : "it failed without a message"));
    if (made != expected)
        refuse(fmt::format("{} wrote {} {}; it must write {}", name, made, of_what, expected));
}

void refuse_written_outside(std::string_view name) {
    refuse(fmt::format("{} writes outside its array", name));
}

}  // namespace assay
