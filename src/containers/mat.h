// MAT-files of level 5, as MATLAB writes them by `save -v6` and `-v7`, and SciPy: small ones, such
// as annotations. Format: MathWorks, "MAT-File Format", R2023b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A variable, or a value in a cell array or a struct. Elements are in MATLAB's order: the first
/// index changes fastest.
struct MatValue {
    enum class Kind : std::uint8_t { numbers, text, cells, structs };
    Kind kind = Kind::numbers;
    std::string name;             ///< of a variable, else ""
    std::vector<double> numbers;  ///< of an array of numbers or truth values; the real parts
    std::string text;             ///< of characters, as UTF-8
    std::vector<std::string> fields;
    std::vector<MatValue> values;  ///< cells; or of each struct the value of each field

    /// How many structs.
    std::size_t structs() const noexcept {
        return fields.empty() ? 0 : values.size() / fields.size();
    }
    /// A field of struct i; null where there is none of that name.
    const MatValue* field(std::size_t i, std::string_view name) const;
};

/// All variables of a file. At most 64 MiB unpacked, a million values, eight levels of cells and
/// structs. Throws bad_input: damaged, cut off, another version (7.3 is HDF5), big-endian, objects,
/// sparse arrays.
std::vector<MatValue> read_mat(std::span<const std::byte> file);

}  // namespace assay
