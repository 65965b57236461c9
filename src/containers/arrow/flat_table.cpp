#include "containers/arrow/flat_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace assay::arrow {
namespace {

void put_number(std::string& out, std::int64_t value, unsigned size) {
    for (unsigned b = 0; b < size; ++b) out += static_cast<char>(value >> (8 * b) & 0xff);
}

void put_at(std::string& out, std::size_t place, std::int64_t value, unsigned size) {
    for (unsigned b = 0; b < size; ++b) out[place + b] = static_cast<char>(value >> (8 * b) & 0xff);
}

/// Pads until the next position is `rest` modulo `unit`.
void align(std::string& out, std::size_t unit, std::size_t rest = 0) {
    while (out.size() % unit != rest) out += '\0';
}

/// Makes the four bytes at `place` point to `target`.
void lead(std::string& out, std::size_t place, std::size_t target) {
    put_at(out, place, static_cast<std::int64_t>(target - place), 4);
}

}  // namespace

FlatTable& FlatTable::add(Field field) {
    fields_.push_back(std::move(field));
    return *this;
}
FlatTable& FlatTable::scalar(int slot, unsigned size, std::int64_t value) {
    return add({.slot = slot, .kind = Kind::scalar, .size = size, .value = value});
}
FlatTable& FlatTable::text(int slot, std::string_view value) {
    return add({.slot = slot, .kind = Kind::text, .text = std::string(value)});
}
FlatTable& FlatTable::table(int slot, const FlatTable& value) {
    return add({.slot = slot, .kind = Kind::table, .tables = {value}});
}
FlatTable& FlatTable::tables(int slot, const std::vector<FlatTable>& values) {
    return add({.slot = slot, .kind = Kind::tables, .tables = values});
}
FlatTable& FlatTable::structures(int slot, std::string_view bytes, std::uint32_t count) {
    return add(
        {.slot = slot, .kind = Kind::structures, .value = count, .text = std::string(bytes)});
}

std::string FlatTable::bytes() const {
    std::string out(4, '\0');
    const std::size_t root = put_into(out);
    lead(out, 0, root);
    return out;
}

std::size_t FlatTable::put_into(std::string& out) const {
    int slots = 0;
    for (const Field& field : fields_) slots = std::max(slots, field.slot + 1);
    align(out, 2);
    const std::size_t vtable = out.size();
    out.append(4 + 2 * static_cast<std::size_t>(slots), '\0');
    // Fields follow the table's own four bytes, the largest first, so that each is aligned to its
    // size.
    align(out, 8, 4);
    const std::size_t begin = out.size();
    put_number(out, static_cast<std::int64_t>(begin - vtable), 4);
    std::vector<std::pair<const Field*, std::size_t>> children;
    for (const unsigned size : {8U, 4U, 2U, 1U}) {
        for (const Field& field : fields_) {
            if (field.size != size) continue;
            const std::size_t place = out.size();
            put_at(out, vtable + 4 + 2 * static_cast<std::size_t>(field.slot),
                   static_cast<std::int64_t>(place - begin), 2);
            put_number(out, field.kind == Kind::scalar ? field.value : 0, size);
            if (field.kind != Kind::scalar) children.emplace_back(&field, place);
        }
    }
    put_at(out, vtable, 4 + 2 * slots, 2);
    put_at(out, vtable + 2, static_cast<std::int64_t>(out.size() - begin), 2);
    for (const auto& [field, place] : children) lead(out, place, put_field(*field, out));
    return begin;
}

std::size_t FlatTable::put_field(const Field& field, std::string& out) {
    if (field.kind == Kind::table) return field.tables.front().put_into(out);
    if (field.kind == Kind::structures) {
        align(out, 8, 4);
        const std::size_t begin = out.size();
        put_number(out, field.value, 4);
        out += field.text;
        return begin;
    }
    align(out, 4);
    const std::size_t begin = out.size();
    if (field.kind == Kind::text) {
        put_number(out, static_cast<std::int64_t>(field.text.size()), 4);
        out += field.text;
        out += '\0';
        return begin;
    }
    put_number(out, static_cast<std::int64_t>(field.tables.size()), 4);
    const std::size_t places = out.size();
    out.append(4 * field.tables.size(), '\0');
    for (std::size_t i = 0; i < field.tables.size(); ++i)
        lead(out, places + 4 * i, field.tables[i].put_into(out));
    return begin;
}

}  // namespace assay::arrow
