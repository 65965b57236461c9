#include "store/begun_rows.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "assay/error.h"
#include "core/byte_fields.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/hash.h"
#include "image/file_facts.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/record.h"

namespace assay {
namespace store {
namespace {

constexpr std::string_view batch_mark = "assay.begun/1\n";

fs::path begun_path(const fs::path& folder, std::size_t shard) {
    return shards_folder(folder) / ("." + shard_stem(shard) + ".begun");
}

/// Identifies the writer, because rows of another store or from another device must not be used.
std::string writer_of(const StoreSpec& spec, const ComputedOn& on) {
    return fmt::format("{} on {}", store_id(spec), describe(on));
}

[[noreturn]] void refuse_batch(std::string_view what) {
    throw Error(ErrorCode::bad_input, std::string(what));
}

std::string text_of(const BegunRows& rows, const std::string& writer) {
    FieldWriter out;
    out.text(writer).number(rows.first_row).number(rows.states.size());
    for (const RowState state : rows.states) out.small(static_cast<std::int64_t>(state));
    out.number(rows.errors.size());
    for (const RowError& error : rows.errors)
        out.number(error.row).small(static_cast<std::int64_t>(error.state)).text(error.message);
    out.number(rows.images.size());
    for (const ReadImage& image : rows.images) out.number(image.bytes).text(image.hash);
    out.text(
        {reinterpret_cast<const char*>(rows.scores.data()), rows.scores.size() * sizeof(float)});
    // This field is last and omitted if empty, so that logs without it are unchanged.
    if (std::ranges::any_of(rows.images, [](const ReadImage& i) { return i.left_aside != 0; }))
        for (const ReadImage& image : rows.images) out.small(image.left_aside);
    return out.take();
}

RowState state_from(FieldReader& in) {
    const std::int64_t value = in.small();
    if (value < 0 || value > static_cast<std::int64_t>(RowState::not_finite))
        refuse_batch("an unknown row state");
    return static_cast<RowState>(value);
}

std::uint8_t left_aside_from(FieldReader& in) {
    const std::int64_t bits = in.small();
    if (bits < 0 || bits > UINT8_MAX) refuse_batch("an unknown set of ignored properties");
    return static_cast<std::uint8_t>(bits);
}

BegunRows parse_batch(std::string_view text, const StoreSpec& spec, std::size_t shard,
                      const std::string& writer) {
    FieldReader in(text, refuse_batch);
    if (in.text() != writer) refuse_batch("it belongs to another writer");
    const std::uint64_t begin = shard_begin(spec, shard), end = begin + shard_size(spec, shard);
    BegunRows rows;
    rows.first_row = in.number(end);
    rows.states.resize(in.count());
    if (rows.first_row < begin || rows.states.empty() || rows.states.size() > end - rows.first_row)
        refuse_batch("the rows belong to another shard");
    for (RowState& state : rows.states) state = state_from(in);
    rows.errors.resize(in.count());
    for (RowError& error : rows.errors) {
        error.row = in.number(end);
        error.state = state_from(in);
        error.message = in.text();
        if (error.row < rows.first_row || error.row - rows.first_row >= rows.states.size())
            refuse_batch("the error belongs to another row");
    }
    rows.images.resize(in.count());
    if (!rows.images.empty() && rows.images.size() != rows.states.size())
        refuse_batch("the images belong to other rows");
    for (ReadImage& image : rows.images) {
        image.bytes = in.number(UINT64_MAX);
        image.hash = in.text();
    }
    const std::string scores = in.text();
    if (!in.at_end()) {
        for (ReadImage& image : rows.images) image.left_aside = left_aside_from(in);
    }
    in.finish();
    if (scores.size() != rows.states.size() * spec.classes * sizeof(float))
        refuse_batch("the scores have a different number of classes");
    rows.scores.resize(scores.size() / sizeof(float));
    std::memcpy(rows.scores.data(), scores.data(), scores.size());
    return rows;
}

/// Removes the text of the next batch from `rest`: the mark, its length, its hash, the text.
/// Returns nothing if there is no complete batch.
std::optional<std::string_view> next_batch(std::string_view& rest) {
    constexpr std::size_t hash_length = 39;  // "xxh128:" and 32 digits
    constexpr std::size_t head = batch_mark.size() + sizeof(std::uint64_t) + hash_length;
    if (!rest.starts_with(batch_mark) || rest.size() < head) return std::nullopt;
    std::uint64_t length = 0;
    std::memcpy(&length, rest.data() + batch_mark.size(), sizeof length);
    const std::string_view hash = rest.substr(batch_mark.size() + sizeof length, hash_length);
    if (length > rest.size() - head) return std::nullopt;
    const std::string_view text = rest.substr(head, static_cast<std::size_t>(length));
    if (hash_text(text) != hash) return std::nullopt;
    rest.remove_prefix(head + text.size());
    return text;
}

}  // namespace

}  // namespace store

ReadImage image_read(std::span<const std::byte> bytes) {
    return {bytes.size(), hash_bytes(bytes), left_aside(facts_of_file(bytes))};
}

namespace store {

void keep_rows(const fs::path& folder, const StoreSpec& spec, const ComputedOn& on,
               std::size_t shard, std::span<const BegunRows> rows) {
    if (rows.empty()) return;
    const fs::path path = begun_path(folder, shard);
    const auto fail = [&](const char* what) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot {} `{}`: {}", what, path.string(), std::strerror(errno)));
    };
    const Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (file.get() < 0) fail("open");
    const std::string writer = writer_of(spec, on);
    std::string all;
    for (const BegunRows& batch : rows) {
        const std::string text = text_of(batch, writer);
        all += batch_mark;
        all += FieldWriter().number(text.size()).bytes();
        all += hash_text(text);
        all += text;
    }
    const off_t whole = ::lseek(file.get(), 0, SEEK_END);
    for (std::string_view rest = all; !rest.empty();) {
        const ssize_t written =
            retried([&] { return ::write(file.get(), rest.data(), rest.size()); });
        if (written < 0) {
            const int why = errno;
            // A new batch must not follow an incomplete batch, because it would be ignored.
            if (whole < 0 || ::ftruncate(file.get(), whole) != 0) errno = 0;
            errno = why;
            fail("write");
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fdatasync(file.get()) != 0 && errno != EINVAL) fail("write");
}

std::vector<BegunRows> kept_rows(const fs::path& folder, const StoreSpec& spec,
                                 const ComputedOn& on, std::size_t shard) {
    std::vector<BegunRows> found;
    const fs::path path = begun_path(folder, shard);
    std::error_code none;
    // Links are not followed, because their target would be truncated below.
    if (!fs::is_regular_file(fs::symlink_status(path, none))) return found;
    std::uintmax_t whole = 0;
    {
        const MappedFile file(path);
        const std::string writer = writer_of(spec, on);
        std::string_view rest = file.text();
        while (const auto text = next_batch(rest)) {
            try {
                found.push_back(parse_batch(*text, spec, shard, writer));
            } catch (const Error&) {  // the log is from another writer
            }
        }
        if (rest.empty()) return found;
        whole = file.text().size() - rest.size();
    }
    // A new batch must not follow an incomplete batch.
    fs::resize_file(path, whole, none);
    return found;
}

void forget_rows(const fs::path& folder, std::size_t shard) {
    std::error_code none;
    fs::remove(begun_path(folder, shard), none);
}

}  // namespace store
}  // namespace assay
