// Reads small MAT-files of level 5, such as annotations, from MATLAB (`save -v6` and `-v7`) or
// SciPy. Format: MathWorks, "MAT-File Format", R2023b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A variable, or a value in a cell array or a struct. Elements are in MATLAB's order, in which the
/// first index changes fastest.
struct MatValue {
    enum class Kind : std::uint8_t { numbers, text, cells, structs };
    Kind kind = Kind::numbers;
    std::string name;             ///< the name of a variable, else ""
    std::vector<double> numbers;  ///< for an array of numbers or booleans; real parts only
    std::string text;             ///< characters as UTF-8
    std::vector<std::string> fields;
    std::vector<MatValue> values;  ///< the cells, or for each struct the value of each field

    /// The number of structs.
    std::size_t structs() const noexcept {
        return fields.empty() ? 0 : values.size() / fields.size();
    }
    /// A field of struct i, or null if no field has that name.
    const MatValue* field(std::size_t i, std::string_view name) const;
};

/// All variables of a file. The limits are 64 MiB unpacked, a million values, and eight levels of
/// cells and structs. Throws bad_input for damaged or truncated files, other versions (7.3 is
/// HDF5), big-endian files, objects, and sparse arrays.
std::vector<MatValue> read_mat(std::span<const std::byte> file);

}  // namespace assay
