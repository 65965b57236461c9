#include "containers/remote/files.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "assay/error.h"
#include "core/parallel.h"

namespace assay::remote {

Files::Files(const FilesLimits& limits) : limits_(limits) {}

Files::~Files() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    more_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

bool Files::cancelled() const {
    if (stop_requested()) return true;
    const std::lock_guard lock(mutex_);
    return ending_;
}

/// The first request has fewer tries, so that a wrong name is reported within a minute.
Patience Files::patience() const {
    constexpr int first_tries = 4;
    Patience patience = limits_.patience;
    const std::lock_guard lock(mutex_);
    if (!answered_) patience.tries = std::min(patience.tries, first_tries);
    return patience;
}

std::shared_ptr<const File> Files::open_known(std::string_view url, const Version& version) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = by_url_.find(url); known != by_url_.end()) return known->second;
    }
    auto file = std::make_shared<const File>(place_of(url), version);
    const std::lock_guard lock(mutex_);
    return by_url_.emplace(std::string(url), std::move(file)).first->second;
}

std::shared_ptr<const File> Files::open(std::string_view url) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = by_url_.find(url); known != by_url_.end()) return known->second;
    }
    const Place place = place_of(url);
    thread_local const Connection connection;
    Range start = get_range(connection, place, 0, limits_.block, std::nullopt, patience(),
                            [&] { return cancelled(); });
    std::shared_ptr<const File> file = open_known(url, start.version);
    if (file->version() == start.version && !start.bytes.empty()) {
        Run run{file.get(), 0, std::vector<std::promise<Block>>(1)};
        const std::lock_guard lock(mutex_);
        if (!blocks_.contains({file.get(), 0})) {
            used_.push_front({file.get(), 0});
            blocks_[used_.front()] = {run.blocks[0].get_future().share(), 0, used_.begin()};
            coming_ += start.bytes.size();
            keep(run, start);
            run.blocks[0].set_value(
                std::make_shared<const std::vector<std::byte>>(std::move(start.bytes)));
        }
    }
    return file;
}

/// Call while holding the lock.
bool Files::reads_in_order(const File& file, std::uint64_t block) const {
    return block == 0 || blocks_.contains({&file, block - 1});
}

/// Call while holding the lock. Makes one request per gap.
void Files::fetch_missing(const File& file, std::uint64_t first, std::uint64_t end) {
    const std::uint64_t size = file.version().size;
    end = std::min(end, (size + limits_.block - 1) / limits_.block);
    while (first < end) {
        if (blocks_.contains({&file, first})) {
            ++first;
            continue;
        }
        Run run{&file, first, {}};
        while (first < end && run.blocks.size() < limits_.run &&
               !blocks_.contains({&file, first})) {
            run.blocks.emplace_back();
            used_.push_front({&file, first});
            blocks_[used_.front()] = {run.blocks.back().get_future().share(), 0, used_.begin()};
            ++first;
        }
        coming_ += std::min(run.blocks.size() * limits_.block, size - run.first * limits_.block);
        waiting_.push_back(std::move(run));
        if (idle_ < waiting_.size() && workers_.size() < limits_.connections) {
            try {
                workers_.emplace_back([this] { work(); });
            } catch (const std::system_error&) {
                if (workers_.empty()) {
                    const auto none = std::make_exception_ptr(
                        Error(ErrorCode::io,
                              "the system allows no further thread, which reading from a server "
                              "needs; see `ulimit -u`"));
                    forget(waiting_.back());
                    for (auto& block : waiting_.back().blocks) block.set_exception(none);
                    waiting_.pop_back();
                    std::rethrow_exception(none);
                }
            }
        }
        more_.notify_one();
    }
}

void Files::read(const File& file, std::uint64_t offset, std::span<std::byte> out) {
    // Only the first block of a read shows whether the read continues an earlier one.
    std::optional<bool> in_order;
    while (!out.empty()) {
        const std::uint64_t number = offset / limits_.block;
        const std::uint64_t last = (offset + out.size() - 1) / limits_.block;
        std::shared_future<Block> wanted;
        {
            const std::lock_guard lock(mutex_);
            if (!in_order) in_order = reads_in_order(file, number);
            const bool ordered = *in_order;
            // The requested block is fetched first.
            if (!blocks_.contains({&file, number}) || last > number) {
                const std::uint64_t most = number + std::max<std::uint64_t>(limits_.run, 1);
                const std::uint64_t end =
                    ordered ? std::max(last + 1, (number / limits_.run + 1) * limits_.run)
                            : last + 1;
                fetch_missing(file, number, std::min(std::max(end, number + 1), most));
            }
            if (ordered && coming_ < limits_.kept / 2) {
                const std::uint64_t run = number / limits_.run;
                fetch_missing(file, number, (run + 1 + limits_.runs_ahead) * limits_.run);
            }
            Kept& kept = blocks_.at({&file, number});
            used_.splice(used_.begin(), used_, kept.used);
            wanted = kept.block;
        }
        constexpr std::chrono::milliseconds between_looks{100};
        while (wanted.wait_for(between_looks) != std::future_status::ready) throw_if_stopped();
        const Block block = wanted.get();
        const std::uint64_t begin = offset - number * limits_.block;
        const std::size_t n = std::min<std::uint64_t>(out.size(), block->size() - begin);
        std::memcpy(out.data(), block->data() + begin, n);
        out = out.subspan(n);
        offset += n;
    }
}

/// Call while holding the lock. Stores what arrived and makes room for it.
void Files::keep(const Run& run, const Range& range) {
    answered_ = true;
    coming_ -= range.bytes.size();
    ++counts_.requests;
    counts_.bytes += range.bytes.size();
    for (std::size_t i = 0; i < run.blocks.size(); ++i) {
        const std::uint64_t bytes =
            std::min<std::uint64_t>(limits_.block, range.bytes.size() - i * limits_.block);
        blocks_.at({run.file, run.first + i}).bytes = bytes;
        bytes_ += bytes;
    }
    for (auto oldest = used_.end(); bytes_ > limits_.kept && oldest != used_.begin();) {
        --oldest;
        const auto found = blocks_.find(*oldest);
        if (found->second.bytes == 0) continue;  // another thread is fetching it
        bytes_ -= found->second.bytes;
        blocks_.erase(found);
        oldest = used_.erase(oldest);
    }
}

/// Call while holding the lock. The next reader asks the server again.
void Files::forget(const Run& run) {
    coming_ -= std::min(run.blocks.size() * limits_.block,
                        run.file->version().size - run.first * limits_.block);
    for (std::size_t i = 0; i < run.blocks.size(); ++i) {
        const auto found = blocks_.find({run.file, run.first + i});
        used_.erase(found->second.used);
        blocks_.erase(found);
    }
}

void Files::fetch(const Connection& connection, Run& run) {
    const std::uint64_t first = run.first * limits_.block;
    const std::uint64_t count =
        std::min(run.blocks.size() * limits_.block, run.file->version().size - first);
    try {
        const Range range = get_range(connection, run.file->place(), first, count,
                                      run.file->version(), patience(), [&] { return cancelled(); });
        std::vector<Block> blocks;
        for (std::size_t i = 0; i < run.blocks.size(); ++i) {
            const auto begin = range.bytes.begin() + static_cast<std::ptrdiff_t>(i * limits_.block);
            const auto n = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(limits_.block),
                                                    range.bytes.end() - begin);
            blocks.push_back(std::make_shared<const std::vector<std::byte>>(begin, begin + n));
        }
        {
            const std::lock_guard lock(mutex_);
            keep(run, range);
        }
        for (std::size_t i = 0; i < blocks.size(); ++i)
            run.blocks[i].set_value(std::move(blocks[i]));
    } catch (...) {
        const std::exception_ptr why = std::current_exception();
        {
            const std::lock_guard lock(mutex_);
            forget(run);
        }
        for (auto& block : run.blocks) block.set_exception(why);
    }
}

void Files::work() {
    const Connection connection;
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        more_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
        --idle_;
        if (waiting_.empty()) return;
        Run run = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        fetch(connection, run);  // fails at once if the process ends
        lock.lock();
    }
}

Files::Counts Files::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

namespace {
std::atomic<Files*> instead{nullptr};
}

Files& files() {
    if (Files* other = instead.load()) return *other;
    static Files all{FilesLimits{}};
    return all;
}

FilesInstead::FilesInstead(const FilesLimits& limits)
    : own_(limits), before_(instead.exchange(&own_)) {}

FilesInstead::~FilesInstead() {
    instead.store(before_);
}

}  // namespace assay::remote
