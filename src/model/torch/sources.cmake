# What the plug-in is made of, for its build here and for the one that `assay torch --build` makes elsewhere: paths below src/.
set(ASSAY_PLUGIN_SOURCES attention blas convolution_flags cost_measure cost_products cost_rules cost_watch cuda_devices decomposed_quantisation fused_layer lanes plugin runtime network network_copies network_input newer_operators pt2
    pt2_builder pt2_call pt2_describe pt2_rules pt2_step pt2_symbols pt2_tensors scores torchscript train train_batch train_network)
set(ASSAY_PLUGIN_ONNX_SOURCES onnx onnx_call onnx_describe onnx_order onnx_parse onnx_step onnx_tensors onnx_weights onnx_ops_activation onnx_ops_elementwise onnx_ops_fused onnx_ops_index
    onnx_ops_layer onnx_ops_pool onnx_ops_quantised onnx_ops_recurrent onnx_ops_reduce onnx_ops_resize
    onnx_ops_sampling onnx_ops_shape)
list(TRANSFORM ASSAY_PLUGIN_SOURCES REPLACE "(.+)" "model/torch/\\1.cpp")
list(TRANSFORM ASSAY_PLUGIN_ONNX_SOURCES REPLACE "(.+)" "model/torch/\\1.cpp")
list(APPEND ASSAY_PLUGIN_SOURCES model/device_choice.cpp model/loss.cpp model/precision.cpp)
