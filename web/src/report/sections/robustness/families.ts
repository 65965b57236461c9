// The corruptions of ImageNet-C in the families of its paper (Hendrycks and Dietterich 2019).

const families: [string, string[]][] = [
  ["noise", ["gaussian_noise", "shot_noise", "impulse_noise"]],
  ["blur", ["defocus_blur", "glass_blur", "motion_blur", "zoom_blur"]],
  ["weather", ["snow", "frost", "fog", "brightness"]],
  ["digital", ["contrast", "elastic_transform", "pixelate", "jpeg_compression"]],
];

const familyOfName = new Map(
  families.flatMap(([family, names]) => names.map((name): [string, string] => [name, family])),
);

/** Corruptions that are not among the paper's 15 are extra. */
export function familyOf(corruption: string): string {
  return familyOfName.get(corruption) ?? "extra";
}

export function wordsOf(corruption: string): string {
  return corruption.replaceAll("_", " ");
}
