// OpenBLAS under limits on address space.
#pragma once

namespace assay::torch_plugin {

/// Held by a thread while LibTorch computes on it. OpenBLAS needs 128 MiB of address space for each
/// call that runs beside others, keeps them, and where the system refuses it asks again for ever.
/// So they are asked for once, one for each processor and no more than there is room for, and only
/// so many threads compute at a time; the others wait. Changes no bit. Without OpenBLAS nobody
/// waits. Throws out_of_memory where there is room for none.
class BlasTurn {
public:
    BlasTurn();
    ~BlasTurn();
    BlasTurn(const BlasTurn&) = delete;
    BlasTurn& operator=(const BlasTurn&) = delete;
};

}  // namespace assay::torch_plugin
