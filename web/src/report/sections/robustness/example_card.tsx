// An adversarial image next to its original, with the difference between them.
import { Picture } from "../../parts/item_card.tsx";
import { short } from "../../parts/names.ts";
import type { AttackExample, ExamplePrediction, Thumbnail } from "../../schemas/described.ts";
import { classText, largestText, lengthText, probabilityText, scaleText } from "./examples.ts";

/** Narrower images are drawn pixel by pixel, without smoothing. */
const small = 100;

interface ImageProps {
  kind: "original" | "difference" | "adversarial";
  remark?: string;
  alt: string;
  id: string;
  thumbnail: Thumbnail | undefined;
}

function ExampleImage({ kind, remark, alt, id, thumbnail }: ImageProps) {
  const pixels = kind === "difference" || (thumbnail?.width ?? small) < small;
  return (
    <figure class={`of-${kind}${pixels ? " with-pixels" : ""}`}>
      <Picture thumbnail={thumbnail} id={id} alt={alt} />
      <figcaption>
        {kind} {remark}
      </figcaption>
    </figure>
  );
}

function Predicted({ prediction }: { prediction: ExamplePrediction }) {
  return (
    <dd>
      <bdi>{classText(prediction)}</bdi> {probabilityText(prediction)}
    </dd>
  );
}

interface ExampleCardProps {
  example: AttackExample;
  /** The images of an id. None if the document has no images of the whole set. */
  thumbnail: ((id: string) => Thumbnail | undefined) | undefined;
  /** Whether this is the only shown image, and the function that switches this. */
  alone: boolean;
  toggle: () => void;
}

export function ExampleCard({ example, thumbnail, alone, toggle }: ExampleCardProps) {
  const { id, label, before, after } = example;
  const scale = scaleText(example);
  const name = short(id, 60);
  return (
    <article class="item-card attack-example">
      {thumbnail !== undefined && (
        <div class="example-images">
          <ExampleImage
            kind="original"
            alt={`${name}: original, predicted as ${classText(before)}`}
            id={id}
            thumbnail={thumbnail(example.original)}
          />
          <ExampleImage
            kind="difference"
            remark={scale}
            alt={`${name}: difference ${scale}, grey means no change`}
            id={id}
            thumbnail={thumbnail(example.difference)}
          />
          <ExampleImage
            kind="adversarial"
            alt={`${name}: adversarial, predicted as ${classText(after)}`}
            id={id}
            thumbnail={thumbnail(example.attacked)}
          />
        </div>
      )}
      <p class="item-id" title={short(id, 300)}>
        <bdi>{name}</bdi>
      </p>
      <dl>
        <div>
          <dt>Label</dt>
          <dd>
            <bdi>{classText(label)}</bdi>
          </dd>
        </div>
        <div>
          <dt>Before</dt>
          <Predicted prediction={before} />
        </div>
        <div class="is-after">
          <dt>After</dt>
          <Predicted prediction={after} />
        </div>
        <div>
          <dt>Largest change</dt>
          <dd>{largestText(example)}</dd>
        </div>
        <div>
          <dt>l2 length</dt>
          <dd>{lengthText(example)}</dd>
        </div>
      </dl>
      <p class="no-print">
        <button type="button" class="link" onClick={toggle}>
          {alone ? "All images" : "Only this image"}
          {!alone && <span class="visually-hidden">: {name}</span>}
        </button>
      </p>
    </article>
  );
}
