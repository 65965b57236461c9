assay_fuzz(model_sidecar model_sidecar.cpp LINKS assay_model)
