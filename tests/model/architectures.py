"""The architectures that architecture_table.py runs, with random weights. Each is so small that a form of it takes seconds.

A row is "library:name side arguments". It has the name in the library, the side of its input, and arguments that make it
shallow or narrow. The argument first_blocks keeps this number of timm's blocks. A depth of one or two has every operator
of the family.
"""
CLASSES = 10

TORCHVISION = """
alexnet 96
convnext_tiny 64
densenet121 64
efficientnet_b0 64
efficientnet_v2_s 64
googlenet 96
inception_v3 96
mnasnet0_5 64
mobilenet_v2 64
mobilenet_v3_small 64
regnet_x_400mf 64
regnet_y_400mf 64
resnet18 64
resnext50_32x4d 64
shufflenet_v2_x0_5 64
squeezenet1_1 64
swin_t 64
swin_v2_t 64
vgg11_bn 64
vit_b_32 64
"""

TIMM = """
beit_base_patch16_224 64 depth=2,embed_dim=96,num_heads=3
caformer_s18 64
cait_xxs24_224 64 depth=2
coat_lite_tiny 64 serial_depths=(1,1,1,1)
coatnet_pico_rw_224 64
convit_tiny 64 depth=4,local_up_to_layer=2
convmixer_768_32 64 first_blocks=2
convnextv2_atto 64 depths=(1,1,1,1)
crossvit_tiny_240 240 depth=((1,1,0),(1,1,0),(1,1,0))
cs3darknet_s 64
cspresnet50 64
davit_tiny 64 depths=(1,1,1,1)
deit_tiny_distilled_patch16_224 64 depth=2
dla34 64
dpn48b 64
ecaresnet26t 64 layers=(1,1,1,1)
edgenext_xx_small 64
efficientformer_l1 224
efficientformerv2_s0 64
efficientvit_b0 64
efficientvit_m0 64
ese_vovnet19b_dw 64
eva02_tiny_patch14_224 56 depth=2
fasternet_t0 64
fastvit_t8 64
focalnet_tiny_srf 64
gcvit_xxtiny 64
ghostnet_050 64
ghostnetv2_100 64
gmixer_24_224 64 first_blocks=2
gmlp_ti16_224 64 first_blocks=2
hgnet_tiny 64
hgnetv2_b0 64
hiera_tiny_224 64 stages=(1,1,1,1)
hrnet_w18_small 64
inception_next_atto 64 depths=(1,1,1,1)
lambda_resnet26t 64
legacy_seresnet18 64
levit_128s 64 depth=(1,1,1)
maxvit_rmlp_pico_rw_256 64
mixer_s32_224 64 first_blocks=2
mixnet_s 64
mobilenetv1_100 64
mobilenetv3_small_050 64
mobilenetv4_conv_small_035 64
mobilenetv4_hybrid_medium 64
mobileone_s0 64
mobilevit_xxs 64
mobilevitv2_050 64
mvitv2_tiny 64
nest_tiny 64
pit_ti_224 224 depth=(1,1,1)
poolformer_s12 64
pvt_v2_b0 64 depths=(1,1,1,1)
rdnet_tiny 64
regnety_002 64
repghostnet_050 64
repvgg_a0 64
repvit_m0_9 64
res2net50_26w_4s 64 layers=(1,1,1,1)
resmlp_12_224 64 first_blocks=2
resnest14d 64
resnetblur18 64 layers=(1,1,1,1)
resnetv2_50x1_bit 64
rexnet_100 64
selecsls42 64
sequencer2d_s 64 layers=(1,1,1,1)
seresnet50 64 layers=(1,1,1,1)
shvit_s1 64
skresnet18 64 layers=(1,1,1,1)
starnet_s1 64
swiftformer_xs 64
swin_tiny_patch4_window7_224 64 depths=(2,2),embed_dim=24,num_heads=(2,4),window_size=4
swinv2_cr_tiny_ns_224 64 depths=(2,2),embed_dim=24,num_heads=(2,4),window_size=4
swinv2_tiny_window8_256 64 depths=(2,2),embed_dim=24,num_heads=(2,4),window_size=4
test_byobnet 64
test_convnext 64
test_efficientnet_evos 64
test_efficientnet_gn 64
test_efficientnet_ln 64
test_mambaout 64
test_nfnet 64
test_resnet 64
test_vit 64
test_vit2 64
test_vit3 64
test_vit4 64
tf_efficientnet_b0 64
tiny_vit_5m_224 64 depths=(1,1,1,1)
tnt_s_legacy_patch16_224 64 depth=2
twins_pcpvt_small 64 depths=(1,1,1,1)
twins_svt_small 64 depths=(2,2,2,2)
visformer_tiny 64
vit_relpos_small_patch16_224 64 depth=2
vit_small_patch16_dinov3 64 depth=2,embed_dim=96,num_heads=3
volo_d1_224 64
xception41 64
xcit_nano_12_p16_224 64 depth=2
"""

SMALL_VIT = "hidden_size=48,num_hidden_layers=2,num_attention_heads=4,intermediate_size=96"
TRANSFORMERS = f"""
Beit 32 image_size=32,patch_size=8,{SMALL_VIT},use_relative_position_bias=True,layer_scale_init_value=0.5
Bit 64 depths=[1,1,1,1]
ConvNext 64 hidden_sizes=[16,24,32,48],depths=[1,1,2,1],layer_scale_init_value=0.5
ConvNextV2 64 hidden_sizes=[16,24,32,48],depths=[1,1,2,1]
DeiT 32 image_size=32,patch_size=8,{SMALL_VIT}
Dinov2 28 image_size=28,patch_size=14,{SMALL_VIT}
Dinov2WithRegisters 28 image_size=28,patch_size=14,{SMALL_VIT}
FocalNet 64 image_size=64,embed_dim=24,depths=[1,1,1,1]
HGNetV2 64 stage_mid_channels=[8,16,24,32]
Levit 64 image_size=64,hidden_sizes=[32,48,64],num_attention_heads=[2,3,4],depths=[1,1,1],key_dim=[8,8,8]
MobileNetV1 64
MobileNetV2 64
MobileViT 64
MobileViTV2 64 image_size=64
PoolFormer 64 depths=[1,1,1,1],hidden_sizes=[16,24,32,48]
Pvt 64 image_size=64,depths=[1,1,1,1]
PvtV2 64 image_size=64,depths=[1,1,1,1]
RegNet 64 hidden_sizes=[16,32,48,64],depths=[1,1,1,1],groups_width=8,embedding_size=16
ResNet 64 hidden_sizes=[16,32,48,64],depths=[1,1,1,1],embedding_size=16
Segformer 64 depths=[1,1,1,1]
SwiftFormer 64
Swin 64 image_size=64,embed_dim=24,depths=[2,2],num_heads=[2,4],window_size=4
Swinv2 64 image_size=64,embed_dim=24,depths=[2,2],num_heads=[2,4],window_size=4
ViT 32 image_size=32,patch_size=8,{SMALL_VIT}
"""


class Architecture:
    def __init__(self, library, row):
        self.library = library
        self.name, side, *arguments = row.split(None, 2)
        self.side = int(side)
        self.arguments = eval(f"dict({arguments[0] if arguments else ''})")
        self.full_name = f"{library}:{self.name}"


ALL = [
    Architecture(library, row)
    for library, rows in (("torchvision", TORCHVISION), ("timm", TIMM), ("transformers", TRANSFORMERS))
    for row in rows.strip().splitlines()
]
SOME = ("timm:test_vit2", "timm:mobilenetv3_small_050", "transformers:ConvNext", "torchvision:shufflenet_v2_x0_5")


def network(one):
    if one.library == "torchvision":
        import torchvision

        more = {"init_weights": True} if one.name in ("googlenet", "inception_v3") else {}
        more |= {"image_size": one.side} if one.name.startswith("vit") else {}
        return getattr(torchvision.models, one.name)(weights=None, num_classes=CLASSES, **more)
    if one.library == "timm":
        import timm

        arguments = dict(one.arguments)
        first_blocks = arguments.pop("first_blocks", None)
        try:
            model = timm.create_model(one.name, num_classes=CLASSES, img_size=one.side, **arguments)
        except TypeError:
            model = timm.create_model(one.name, num_classes=CLASSES, **arguments)
        if first_blocks:
            model.blocks = model.blocks[:first_blocks]
        return model
    import torch
    import transformers

    config = getattr(transformers, f"{one.name}Config")(num_labels=CLASSES, **one.arguments)

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = getattr(transformers, f"{one.name}ForImageClassification")(config)

        def forward(self, x):
            return self.model(pixel_values=x).logits

    return Logits()


def made(one, x):
    """The network in evaluation mode. Its scores depend on all of its layers."""
    import torch

    torch.manual_seed(0)
    model = network(one)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None
    for parameter in model.parameters():
        # Layers that are initialized with zeros hide everything before them.
        if parameter.dim() > 0 and parameter.requires_grad and parameter.detach().abs().max() < 2e-2:
            torch.nn.init.normal_(parameter, std=0.1)
    with torch.no_grad():
        model.train()(x)  # this pass sets the statistics of batch norms
    return model.eval()
