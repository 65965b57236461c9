#include "assay/collective/comm.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "collective/root.h"
#include "core/json_limits.h"

namespace assay {
namespace {

class SelfComm final : public Comm {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) override {
        return {{mine.begin(), mine.end()}};
    }
    std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root) override {
        check_root(root, 1);
        return all_gather(mine);
    }
    std::vector<std::byte> broadcast(std::span<const std::byte> mine, int root) override {
        check_root(root, 1);
        return {mine.begin(), mine.end()};
    }
    void all_reduce(std::span<std::int64_t>) override {}
    void barrier() override {}
};

/// The form in which one rank tells the others of its exception.
std::string packed(const std::exception_ptr& failure) {
    const auto pack = [](ErrorCode code, const std::string& message,
                         const std::vector<std::string>& notes) {
        return nlohmann::json{
            {"code", static_cast<int>(code)}, {"message", message}, {"notes", notes}}
            .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return pack(error.code(), error.message(), error.notes());
    } catch (const std::bad_alloc&) {
        return pack(ErrorCode::out_of_memory, "out of memory", {});
    } catch (const std::exception& error) {
        return pack(ErrorCode::internal, error.what(), {});
    } catch (...) {
        return pack(ErrorCode::internal, "an exception of an unknown type", {});
    }
}

Error unpacked(std::string_view text) {
    const auto value = parse_json(text, 2);
    Error error(static_cast<ErrorCode>(value.at("code").get<int>()), value.at("message"));
    for (const auto& note : value.at("notes")) error.add_note(note);
    return error;
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void check_root(int root, int size) {
    if (root < 0 || root >= size)
        throw Error(ErrorCode::usage,
                    fmt::format("rank {} of {} does not exist; ranks start at 0", root, size));
}

std::unique_ptr<Comm> self_comm() {
    return std::make_unique<SelfComm>();
}

bool any(Comm& comm, bool mine) {
    std::int64_t count = mine ? 1 : 0;
    comm.all_reduce({&count, 1});
    return count > 0;
}

void agree(Comm& comm, const std::function<void()>& work) {
    std::exception_ptr failure;
    std::string mine;
    try {
        work();
    } catch (...) {
        failure = std::current_exception();
        mine = packed(failure);
    }
    const auto all = comm.all_gather(bytes_of(mine));
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank].empty()) continue;
        if (static_cast<int>(rank) == comm.rank()) std::rethrow_exception(failure);
        throw unpacked(text_of(all[rank]));
    }
}

void agree_on(Comm& comm, std::string_view what, std::string_view value) {
    const auto all = comm.all_gather(bytes_of(value));
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const auto& bytes) { return bytes != all[0]; });
    if (other == all.end()) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: rank 0 has `{}`, rank {} has `{}`; every rank must see the same",
                            what, text_of(all[0]), other - all.begin(), text_of(*other)));
}

}  // namespace assay
