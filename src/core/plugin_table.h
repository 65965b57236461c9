// Opens plug-ins of users: shared libraries (assay/plugin.h) and files of Python (docs/plugins.md).
// What their rows mean is for the components that add them to their tables: metric and robustness.
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

/// `apart`: set where a process of Python has the function, and `values` is null. Writes a value
/// for each row; NaN leaves it out. From several threads. Throws bad_input: the function fails, the
/// process ends or takes too long.
struct PluginMetric : assay_plugin_metric {
    std::function<void(const assay_plugin_rows& rows, std::span<double> values)> apart;
};
/// `apart` likewise, in the place of `apply`: writes all bytes of `out`.
struct PluginCorruption : assay_plugin_corruption {
    std::function<void(const assay_plugin_image& image, std::span<std::uint8_t> out)> apart;
};

struct PluginTable {
    std::filesystem::path file;  ///< absolute
    std::string name;            ///< FILE of FILE:NAME: the file's, without extension
    std::string hash;            ///< of its bytes: the first 12 hexadecimal digits
    std::vector<PluginMetric> metrics;
    std::vector<PluginCorruption> corruptions;

    /// "margin:margin".
    std::string name_of(std::string_view function) const;
    /// "plugin.margin.margin@0123456789ab": other bytes of the library, another definition.
    std::string definition_of(std::string_view function) const;
};

/// Fills the rows of a file of Python, whose bytes are `source`.
using ReadPythonPlugin = void (*)(PluginTable& plugin, std::string source);

/// The plug-in, opened and checked: versions, names, counts, functions. A library is first opened
/// in another process, because it may crash then; a file FILE.py is for `read_python`, which runs
/// it in a process of Python. It stays open as long as the program runs; the same file again is the
/// same table. Thread-safe. Throws bad_input with the file and the function: no such file, no
/// shared library, no table or another one, two functions of one name, another plug-in of this
/// name.
const PluginTable& open_plugin(const std::filesystem::path& file, ReadPythonPlugin read_python);

/// A text that rows of tables point to, as long as the program runs. Thread-safe.
std::string_view kept_text(std::string text);

/// Calls a function of a plug-in and checks what it returns. `expected`: how many values or bytes.
/// Throws bad_input: `name`, and what the function says or does wrong.
void call_plugin(std::string_view name, std::int64_t expected, std::string_view of_what,
                 const std::function<std::int64_t(char* error, std::size_t size)>& call);

/// An array for a function to write, with guards before and behind it.
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
/// Throws bad_input where a guard was written over.
[[noreturn]] void refuse_written_outside(std::string_view name);

}  // namespace assay
