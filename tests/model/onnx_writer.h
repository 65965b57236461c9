// Writes ONNX files for tests, byte by byte (protobuf's wire format): nodes, zero weights, one
// image input "x" and one output "y".
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay {

class OnnxWriter {
public:
    using Sizes = std::vector<std::int64_t>;
    using Value = std::variant<std::int64_t, double, const char*, Sizes>;
    using Attributes = std::vector<std::pair<std::string, Value>>;

    /// Weights are zeros. With `elsewhere`, all are in a file of that name next to the model,
    /// at the same offset.
    explicit OnnxWriter(std::string elsewhere = {}) : elsewhere_(std::move(elsewhere)) {}

    std::string weight(const Sizes& sizes, std::string name = {}) {
        if (name.empty()) name = "w" + std::to_string(++names_);
        std::int64_t bytes = 4;
        std::string tensor;
        for (const std::int64_t size : sizes) {
            tensor += number(1, size);
            bytes *= size;
        }
        tensor += number(2, float_type) + block(8, name);
        if (elsewhere_.empty()) {
            tensor += block(9, std::string(static_cast<std::size_t>(bytes), '\0'));
        } else {
            tensor += block(13, block(1, "location") + block(2, elsewhere_)) + number(14, 1);
            tensor += block(13, block(1, "length") + block(2, std::to_string(bytes)));
            largest_ = std::max(largest_, bytes);
        }
        initialisers_ += block(5, tensor);
        return name;
    }

    std::string ints(const Sizes& values) {
        std::string bytes(values.size() * 8, '\0');
        for (std::size_t i = 0; i < values.size(); ++i)
            for (std::size_t k = 0; k < 8; ++k)
                bytes[8 * i + k] = static_cast<char>(values[i] >> (8 * k));
        return constant({static_cast<std::int64_t>(values.size())}, int64_type, bytes);
    }

    /// A zero of another type, for zero points.
    std::string bytes(const Sizes& sizes, int type) {
        std::size_t count = 1;
        for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
        return constant(sizes, type, std::string(count, '\0'));
    }

    /// Float weights that are not zero. They are between low and high, and differ in each call.
    std::string spread(const Sizes& sizes, float low, float high) {
        std::int64_t count = 1;
        for (const std::int64_t size : sizes) count *= size;
        std::string bytes;
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t step = (k * 7919 + names_ * 104729) % 1009;
            const auto bits = std::bit_cast<std::uint32_t>(
                low + (high - low) * static_cast<float>(step) / 1008.0F);
            for (int b = 0; b < 4; ++b) bytes += static_cast<char>(bits >> (8 * b));
        }
        return constant(sizes, float_type, bytes);
    }

    std::string one() { return constant({}, float_type, std::string("\0\0\x80\x3f", 4)); }

    /// The name of the node's (first) output. An input named "" is omitted.
    std::string node(std::string_view op, const std::vector<std::string>& inputs,
                     const Attributes& attributes = {}, int outputs = 1) {
        const std::string name = "v" + std::to_string(++names_);
        std::string out;
        for (const std::string& input : inputs) out += block(1, input);
        out += block(2, name);
        for (int i = 1; i < outputs; ++i) out += block(2, name + "_" + std::to_string(i));
        out += block(3, std::string(op) + "_" + std::to_string(names_)) + block(4, op);
        for (const auto& [key, value] : attributes) out += block(5, attribute(key, value));
        nodes_ += block(1, out);
        return name;
    }

    /// `result` is the name of the model's output.
    void save(const std::filesystem::path& path, const std::string& result, int side,
              int batch = -1) {
        nodes_ += block(1, block(1, result) + block(2, "y") + block(4, "Identity"));
        const std::string graph = nodes_ + block(2, "g") + initialisers_ +
                                  block(11, image(side, batch)) + block(12, block(1, "y"));
        std::ofstream(path, std::ios::binary)
            << number(1, 8) + block(8, number(2, 17)) + block(7, graph);
        if (elsewhere_.empty()) return;
        const auto weights = path.parent_path() / elsewhere_;
        std::ofstream(weights, std::ios::binary).put('\0');
        std::filesystem::resize_file(weights, static_cast<std::uintmax_t>(largest_));
    }

private:
    static constexpr int float_type = 1, int64_type = 7;

    static std::string varint(std::uint64_t n) {
        std::string out;
        for (; n > 127; n >>= 7) out += static_cast<char>((n & 127) | 128);
        return out + static_cast<char>(n);
    }
    static std::string number(std::uint64_t field, std::int64_t n) {
        return varint(field << 3) + varint(static_cast<std::uint64_t>(n));
    }
    static std::string block(std::uint64_t field, std::string_view data) {
        return varint(field << 3 | 2) + varint(data.size()) + std::string(data);
    }

    static std::string attribute(const std::string& key, const Value& value) {
        std::string out = block(1, key);
        if (const auto* whole = std::get_if<std::int64_t>(&value))
            return out + number(3, *whole) + number(20, 2);
        if (const auto* real = std::get_if<double>(&value)) {
            const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(*real));
            out += varint(2 << 3 | 5);
            for (int k = 0; k < 4; ++k) out += static_cast<char>(bits >> (8 * k));
            return out + number(20, 1);
        }
        if (const auto* text = std::get_if<const char*>(&value))
            return out + block(4, *text) + number(20, 3);
        for (const std::int64_t one : std::get<Sizes>(value)) out += number(8, one);
        return out + number(20, 7);
    }

    static std::string image(int side, int batch) {
        const std::string first = batch < 0 ? block(1, block(2, "n")) : block(1, number(1, batch));
        const std::string sides =
            block(1, number(1, 3)) + block(1, number(1, side)) + block(1, number(1, side));
        return block(1, "x") + block(2, block(1, number(1, float_type) + block(2, first + sides)));
    }

    std::string constant(const Sizes& sizes, int type, const std::string& bytes) {
        const std::string name = "c" + std::to_string(++names_);
        std::string tensor;
        for (const std::int64_t size : sizes) tensor += number(1, size);
        initialisers_ += block(5, tensor + number(2, type) + block(8, name) + block(9, bytes));
        return name;
    }

    std::string elsewhere_, initialisers_, nodes_;
    std::int64_t largest_ = 1;
    int names_ = 0;
};

}  // namespace assay
