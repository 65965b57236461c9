// OpenBLAS with limited address space.
#pragma once

namespace assay::torch_plugin {

/// Held by a thread while LibTorch computes on it. OpenBLAS needs 128 MiB of address space for each
/// concurrent call, keeps it, and retries endlessly if the system refuses. So the buffers are
/// allocated in advance, one per processor but no more than fit. Only that many threads compute at
/// a time, and the others wait. Results do not change. Without OpenBLAS nobody waits. Throws
/// out_of_memory if not even one fits.
class BlasTurn {
public:
    BlasTurn();
    ~BlasTurn();
    BlasTurn(const BlasTurn&) = delete;
    BlasTurn& operator=(const BlasTurn&) = delete;
};

}  // namespace assay::torch_plugin
