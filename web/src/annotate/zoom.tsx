// One image as large as its place allows. `z` switches to its own pixels and to twice the size.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePage } from "./context";
import { arrow } from "./keys";
import { Mounted, useImage } from "./parts";
import { zoomScales } from "./scales";

interface Zoom {
  /// 0 if the image fits its place.
  level: number;
  x: number;
  y: number;
}
const FIT: Zoom = { level: 0, x: 0, y: 0 };

export interface ZoomControl {
  next(): void;
  pan(across: number, down: number): boolean;
}

export function ZoomView(props: {
  question: string;
  control: { current: ZoomControl | null };
  missing?: () => void;
}) {
  const { texts } = usePage();
  const image = useImage(props.question, "full");
  const place = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(FIT);
  const drag = useRef<{ x: number; y: number } | null>(null);
  const element = image.state === "there" ? image.element : null;

  const measure = () => {
    const box = place.current?.getBoundingClientRect();
    if (!box || !element) return null;
    const { naturalWidth: width, naturalHeight: height } = element;
    return {
      box,
      width,
      height,
      scales: zoomScales(Math.min(box.width / width, box.height / height)),
    };
  };
  const move = (across: number, down: number) => {
    const size = measure();
    if (!size || zoom.level === 0) return false;
    const scale = size.scales[zoom.level - 1] ?? 1;
    const most = (image: number, room: number) => Math.max(0, (image * scale - room) / 2);
    const clamp = (value: number, limit: number) => Math.min(limit, Math.max(-limit, value));
    const x = clamp(zoom.x + across, most(size.width, size.box.width));
    const y = clamp(zoom.y + down, most(size.height, size.box.height));
    setZoom({ ...zoom, x, y });
    return true;
  };
  const next = () => {
    const levels = measure()?.scales.length ?? 0;
    setZoom({ ...FIT, level: (zoom.level + 1) % (levels + 1) });
  };
  props.control.current = {
    next,
    pan: (across, down) => {
      const box = place.current?.getBoundingClientRect();
      return box ? move((-across * box.width) / 5, (-down * box.height) / 5) : false;
    },
  };

  useLayoutEffect(() => setZoom(FIT), [props.question]);
  const { missing } = props;
  useLayoutEffect(() => {
    if (image.state === "missing") missing?.();
  }, [image.state, missing]);
  useLayoutEffect(() => {
    const size = measure();
    if (!element || !size) return;
    const scale = size.scales[zoom.level - 1];
    const zoomed = zoom.level > 0 && scale !== undefined;
    element.style.inlineSize = zoomed ? `${size.width * scale}px` : "";
    element.style.blockSize = zoomed ? `${size.height * scale}px` : "";
    element.style.transform = zoomed ? `translate(${zoom.x}px, ${zoom.y}px)` : "";
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys do all that the pointer does
    <div
      ref={place}
      class={zoom.level > 0 ? "stage zoomed" : "stage"}
      onDblClick={next}
      onPointerDown={(event) => {
        if (zoom.level === 0 || event.button !== 0) return;
        drag.current = { x: event.clientX, y: event.clientY };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const from = drag.current;
        if (!from) return;
        drag.current = { x: event.clientX, y: event.clientY };
        move(event.clientX - from.x, event.clientY - from.y);
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
      onPointerCancel={() => {
        drag.current = null;
      }}
    >
      {element && <Mounted element={element} alt={texts.text("image_alt")} />}
      {image.state === "coming" && <p class="image-note">{texts.text("image_loading")}</p>}
      {image.state === "missing" && <p class="image-note">{texts.text("image_missing")}</p>}
    </div>
  );
}

/// Handles `z` and, if the image is zoomed, the arrows.
export function zoomKey(
  control: ZoomControl | null,
  event: KeyboardEvent,
  isZoom: boolean,
): boolean {
  if (!control) return false;
  if (isZoom) {
    control.next();
    return true;
  }
  const way = arrow(event.key, false);
  return way !== null && control.pan(way.across, way.down);
}
