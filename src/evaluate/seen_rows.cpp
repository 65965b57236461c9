#include "evaluate/seen_rows.h"

#include <algorithm>
#include <bit>

#include "assay/evaluate/streaming_score.h"
#include "evaluate/streaming_state.h"

namespace assay {
namespace {

constexpr std::uint64_t all_bits = ~std::uint64_t{0};

}  // namespace

void SeenRows::set(std::uint64_t row) {
    Stretch& stretch = stretches_[row / group_stretch];
    const auto bit = static_cast<std::size_t>(row % group_stretch);
    (*stretch.bits)[bit / 64] |= std::uint64_t{1} << (bit % 64);
    end_ = std::max(end_, row + 1);
    if ((*stretch.bits)[bit / 64] == all_bits) close(stretch);
}

void SeenRows::close(Stretch& stretch) {
    if (std::ranges::all_of(*stretch.bits, [](std::uint64_t word) { return word == all_bits; }))
        stretch.bits.reset();
}

void SeenRows::add(std::span<const std::uint64_t> rows) {
    for (const std::uint64_t row : rows) set(row);
    count_ += rows.size();
}

void SeenRows::merge(const SeenRows& other) {
    for (const auto& [number, more] : other.stretches_) {
        const auto [place, fresh] = stretches_.try_emplace(number, more);
        if (fresh) continue;
        // Neither is complete, because they have no row in common.
        for (std::size_t w = 0; w < more.bits->size(); ++w)
            (*place->second.bits)[w] |= (*more.bits)[w];
        close(place->second);
    }
    count_ += other.count_;
    end_ = std::max(end_, other.end_);
}

std::optional<std::uint64_t> SeenRows::common(const SeenRows& other) const {
    for (const auto& [number, stretch] : stretches_) {
        const auto more = other.stretches_.find(number);
        if (more == other.stretches_.end()) continue;
        for (std::size_t w = 0; w < Bits{}.size(); ++w) {
            const std::uint64_t both = (stretch.bits ? (*stretch.bits)[w] : all_bits) &
                                       (more->second.bits ? (*more->second.bits)[w] : all_bits);
            if (both != 0)
                return number * group_stretch + w * 64 +
                       static_cast<std::uint64_t>(std::countr_zero(both));
        }
    }
    return {};
}

std::optional<std::uint64_t> SeenRows::twice(std::span<const std::uint64_t> rows,
                                             const SeenRows* seen) {
    SeenRows own;
    for (const std::uint64_t row : rows) {
        const auto is_in = [row](const SeenRows& rows_so_far) {
            const auto place = rows_so_far.stretches_.find(row / group_stretch);
            if (place == rows_so_far.stretches_.end()) return false;
            const auto bit = static_cast<std::size_t>(row % group_stretch);
            const std::optional<Bits>& bits = place->second.bits;
            return !bits || ((*bits)[bit / 64] >> (bit % 64) & 1U) != 0;
        };
        if (is_in(own) || (seen != nullptr && is_in(*seen))) return row;
        own.set(row);
    }
    return {};
}

void SeenRows::write(FieldWriter& out) const {
    out.number(stretches_.size());
    for (const auto& [number, stretch] : stretches_) {
        out.number(number).number(stretch.bits ? 0 : 1);
        if (!stretch.bits) continue;
        for (const std::uint64_t word : *stretch.bits) out.number(word);
    }
}

void SeenRows::read(FieldReader& in) {
    *this = {};
    for (std::size_t left = in.count(); left > 0; --left) {
        const std::uint64_t number = in.number(StreamingScore::most_rows / group_stretch - 1);
        if (!stretches_.empty() && stretches_.rbegin()->first >= number)
            refuse_state("its rows are out of order");
        Stretch& stretch = stretches_[number];
        if (in.flag()) {
            stretch.bits.reset();
            count_ += group_stretch;
            end_ = std::max(end_, (number + 1) * group_stretch);
            continue;
        }
        for (std::size_t w = 0; w < stretch.bits->size(); ++w) {
            const std::uint64_t word = in.number(all_bits);
            (*stretch.bits)[w] = word;
            count_ += static_cast<std::uint64_t>(std::popcount(word));
            if (word != 0)
                end_ = std::max(end_, number * group_stretch + w * 64 +
                                          static_cast<std::uint64_t>(std::bit_width(word)));
        }
        if (*stretch.bits == Bits{}) refuse_state("it counts rows that do not exist");
        close(stretch);
    }
}

}  // namespace assay
