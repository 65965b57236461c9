// Opens plug-ins of users: shared libraries (assay/plugin.h) and files of Python (docs/plugins.md).
// The components metric and robustness interpret the rows and add them to their tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/plugin.h"

namespace assay {

/// `apart` is set if the function runs in a Python process; `values` is then null. It writes a
/// value for each row, and NaN leaves the row out. Several threads may call it. Throws bad_input if
/// the function fails, or the process ends or takes too long.
struct PluginMetric : assay_plugin_metric {
    std::function<void(const assay_plugin_rows& rows, std::span<double> values)> apart;
};
/// `apart` replaces `apply` in the same way: it writes all bytes of `out`.
struct PluginCorruption : assay_plugin_corruption {
    std::function<void(const assay_plugin_image& image, std::span<std::uint8_t> out)> apart;
};

struct PluginTable {
    std::filesystem::path file;  ///< absolute
    std::string name;            ///< NAME in FILE:NAME; by default the file name without extension
    std::string hash;            ///< the first 12 hexadecimal digits of the hash of its bytes
    std::vector<PluginMetric> metrics;
    std::vector<PluginCorruption> corruptions;

    /// The name, such as "margin:margin".
    std::string name_of(std::string_view function) const;
    /// "plugin.margin.margin@0123456789ab". A library with other bytes has another definition.
    std::string definition_of(std::string_view function) const;
};

/// Fills in the rows of a Python file whose bytes are `source`.
using ReadPythonPlugin = void (*)(PluginTable& plugin, std::string source);

/// Opens a plug-in and checks its versions, names, counts and functions. A library is first opened
/// in another process, because it may crash then. A file FILE.py goes to `read_python`, which runs
/// it in a Python process. A plug-in stays open as long as the program runs. A second call returns
/// the same table. Thread-safe. Throws bad_input, with the file and the function, if there is no
/// such file, no shared library, no table or another one. Also throws bad_input for two functions
/// with one name, and a different plug-in with this name.
const PluginTable& open_plugin(const std::filesystem::path& file, ReadPythonPlugin read_python);

/// Stores a text for rows of tables that point to it, as long as the program runs. Thread-safe.
std::string_view kept_text(std::string text);

/// Calls a function of a plug-in and checks what it returns. `expected` is the number of values or
/// bytes. Throws bad_input with `name` and the function's message or fault.
void call_plugin(std::string_view name, std::int64_t expected, std::string_view of_what,
                 const std::function<std::int64_t(char* error, std::size_t size)>& call);

/// An array that a plug-in writes, with guards before and after it.
template <class T>
class GuardedArray {
public:
    GuardedArray(std::size_t n, T value) : size_(n), all_(n + 2 * guard(), value) {
        for (std::size_t i = 0; i < guard(); ++i) all_[i] = all_[guard() + n + i] = mark();
    }
    T* data() { return all_.data() + guard(); }
    std::span<const T> values() const { return std::span(all_).subspan(guard(), size_); }
    bool is_whole() const {
        for (std::size_t i = 0; i < guard(); ++i) {
            if (all_[i] != mark() || all_[guard() + size_ + i] != mark()) return false;
        }
        return true;
    }

private:
    static constexpr std::size_t guard() { return 64 / sizeof(T); }
    static constexpr T mark() { return static_cast<T>(0xA5); }

    std::size_t size_;
    std::vector<T> all_;
};
/// Throws bad_input because a guard was overwritten.
[[noreturn]] void refuse_written_outside(std::string_view name);

}  // namespace assay
