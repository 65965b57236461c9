"""Kinds of operators by name, for their cost: the same lists as in src/model/torch/cost_rules.cpp.

Names of ATen are without their "aten::".
"""

from __future__ import annotations

PRODUCT, ELEMENTWISE, NORMALISATION, SOFTMAX, POOLING, MOVEMENT, UNKNOWN = range(7)  # OperatorKind in include/assay/model/cost.h

_NAMES = {
    ELEMENTWISE: """
        abs acos acosh add addcdiv addcmul alpha_dropout asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or
        bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clip copysign cos cosh dequantize div divide dropout elu eq
        erf erfc erfinv exp exp2 expm1 fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask
        fake_quantize_per_tensor_affine fake_quantize_per_tensor_affine_cachemask feature_alpha_dropout feature_dropout floor floor_divide
        fmax fmin fmod frac ge gelu glu greater greater_equal gt hardshrink hardsigmoid hardswish hardtanh hypot isclose isfinite isinf
        isnan le leaky_relu lerp less less_equal log log10 log1p log2 log_sigmoid log_sigmoid_forward logaddexp logical_and logical_not
        logical_or logical_xor logit lt masked_fill maximum minimum mish mul multiply nan_to_num native_dropout ne neg negative not_equal
        pow prelu _prelu_kernel quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic reciprocal relu relu6 remainder round
        rrelu rsqrt rsub selu sgn sigmoid sign silu sin sinc sinh softplus softshrink special_erf special_expit sqrt square sub subtract
        tan tanh threshold _transform_bias_rescale_qkv true_divide trunc where xlogy __and__ __or__ __xor__ quantized::add
        quantized::add_relu quantized::add_scalar quantized::add_scalar_relu quantized::mul quantized::mul_relu quantized::mul_scalar
        quantized::mul_scalar_relu quantized::leaky_relu quantized::hardswish quantized::relu6 quantized::elu quantized::celu
        quantized::sigmoid quantized::prelu
    """,
    NORMALISATION: """
        batch_norm _batch_norm_impl_index _batch_norm_no_update cudnn_batch_norm _fused_rms_norm group_norm instance_norm layer_norm
        native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_no_training native_group_norm native_layer_norm rms_norm
        _weight_norm _weight_norm_interface quantized::batch_norm quantized::batch_norm1d quantized::batch_norm1d_relu
        quantized::batch_norm2d quantized::batch_norm2d_relu quantized::batch_norm3d quantized::batch_norm3d_relu
        quantized::batch_norm_relu quantized::group_norm quantized::instance_norm quantized::layer_norm
    """,
    SOFTMAX: """
        log_softmax _log_softmax _masked_softmax _safe_softmax softmax _softmax special_softmax
    """,
    POOLING: """
        adaptive_avg_pool1d adaptive_avg_pool2d _adaptive_avg_pool2d adaptive_avg_pool3d _adaptive_avg_pool3d adaptive_max_pool1d
        adaptive_max_pool2d adaptive_max_pool3d affine_grid_generator all amax amin aminmax any argmax argmin argsort avg_pool1d
        avg_pool2d avg_pool3d count_nonzero cummax cummin cumprod cumsum fractional_max_pool2d frobenius_norm grid_sampler grid_sampler_2d
        grid_sampler_3d kthvalue linalg_norm linalg_vector_norm logcumsumexp logsumexp max max_pool1d max_pool1d_with_indices max_pool2d
        max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool2d mean median min mkldnn_max_pool2d mode nanmean nansum norm
        prod quantized_max_pool2d sort std std_mean sum topk upsample_bicubic2d _upsample_bicubic2d_aa upsample_bilinear2d
        _upsample_bilinear2d_aa upsample_linear1d upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d
        _upsample_nearest_exact2d upsample_nearest3d _upsample_nearest_exact3d upsample_trilinear3d var var_mean
    """,
    MOVEMENT: """
        alias arange _assert_async as_strided atleast_1d atleast_2d broadcast_tensors broadcast_to cat channel_shuffle chunk clone
        _coalesced col2im column_stack concat concatenate constant_pad_nd contiguous copy _copy_from _cast_Float _cast_Long detach diag
        diagonal dstack embedding embedding_bag _embedding_bag empty empty_like _empty_affine_quantized empty_strided expand expand_as eye
        fill flatten flip fliplr flipud full full_like gather hstack im2col index index_add index_copy index_fill index_put index_select
        int_repr item lift lift_fresh lift_fresh_copy linspace _local_scalar_dense masked_scatter masked_select meshgrid moveaxis movedim
        narrow narrow_copy native_channel_shuffle new_empty new_empty_strided new_full new_ones new_zeros nonzero nonzero_numpy numpy_T
        one_hot ones ones_like _pack_padded_sequence pad permute _pad_circular _pad_enum pixel_shuffle pixel_unshuffle ravel
        reflection_pad1d reflection_pad2d reflection_pad3d repeat repeat_interleave replication_pad1d replication_pad2d replication_pad3d
        requires_grad reshape _reshape_alias _reshape_copy reshape_as resize resize_as resolve_conj resolve_neg roll rot90 scalar_tensor
        scatter scatter_add select select_scatter set _shape_as_tensor slice slice_scatter split split_with_sizes squeeze stack swapaxes
        swapdims t take take_along_dim tensor_split tile to _to_copy transpose tril triu type_as unbind unflatten unfold _unsafe_index
        _unsafe_view unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze view view_as view_as_complex view_as_real real imag
        vstack zero zeros zeros_like T mT mH H _conj conj quantized::cat quantized::cat_relu
    """,
}
# These are only in PyTorch versions that are newer than the LibTorch of those lists.
_NEWER = {MOVEMENT: "_fused_sdp_choice sym_size sym_numel sym_stride sym_storage_offset"}

KINDS = {name: kind for names in (_NAMES, _NEWER) for kind, text in names.items() for name in text.split()}


def kind_of(name: str) -> int:
    """The kind of a name such as "aten::relu_"; UNKNOWN if no list has it."""
    for tried in (name, name[:-1] if name.endswith("_") and not name.endswith("__") else name):
        short = tried[len("aten::"):] if tried.startswith("aten::") else tried
        if short in KINDS:
            return KINDS[short]
    return UNKNOWN
