/// Sizes larger than the fitting one, in the image's pixels: the original size if it is larger, and
/// double.
export function zoomScales(fit: number): number[] {
  return fit < 0.95 ? [1, 2] : [2 * fit];
}
