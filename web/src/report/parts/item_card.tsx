// An image with its labels and the predictions of models, whose best classes are bars.
import { numberText } from "../estimate.ts";
import type { ItemPrediction, ReportItem, Thumbnail } from "../schemas/described.ts";
import { short } from "./names.ts";

/** The number of classes for each model. */
const bars = 5;

interface PictureProps {
  thumbnail: Thumbnail | undefined;
  id: string;
  /** A label for ids that do not describe the image. */
  alt?: string;
}

export function Picture({ thumbnail, id, alt }: PictureProps) {
  if (thumbnail === undefined) return <div class="no-image">not embedded</div>;
  const { source, width, height } = thumbnail;
  return <img src={source} width={width} height={height} alt={alt ?? short(id, 80)} />;
}

export function percentText(probability: number): string {
  return `${numberText(probability, 0.05, "proportion")} %`;
}

/** What a bar means. */
export type BarOf = Omit<ItemPrediction, "rank">;

export function Bars({ name, predictions }: { name: string; predictions: BarOf[] }) {
  return (
    <div class="top-bars">
      <strong>
        <bdi>{short(name, 40)}</bdi>
      </strong>
      {predictions.length === 0 && <span>no scores</span>}
      <ol>
        {predictions.slice(0, bars).map((entry) => (
          <li
            key={entry.class}
            class={entry.correct === true ? "is-correct" : entry.correct === false ? "is-not" : ""}
          >
            <span class="bar-name">
              {entry.correct === true && <span title="a valid label">✓ </span>}
              <bdi>{short(entry.name || entry.id, 32)}</bdi>
            </span>
            {entry.probability !== undefined && entry.probability !== null && (
              <>
                <span class="bar-value">{percentText(entry.probability)}</span>
                <span
                  class="bar-length"
                  style={{ inlineSize: `${Math.max(0.5, 100 * entry.probability)}%` }}
                />
              </>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface ItemCardProps {
  item: ReportItem;
  thumbnail: Thumbnail | undefined;
  /** The names of the models to show. */
  models: string[];
}

export function ItemCard({ item, thumbnail, models }: ItemCardProps) {
  const labels = item.labels.map((label) => short(label.name || label.id, 40));
  return (
    <article class="item-card">
      <Picture thumbnail={thumbnail} id={item.id} />
      <p class="item-id" title={short(item.id, 300)}>
        <bdi>{short(item.id, 60)}</bdi>
      </p>
      <p>
        {labels.length === 1 ? "Label" : `${labels.length} labels`}:{" "}
        <bdi>{labels.join(", ") || "none"}</bdi>
      </p>
      {models.map((name) => {
        const model = item.models.find((entry) => entry.name === name);
        return model === undefined ? null : (
          <Bars key={name} name={name} predictions={model.predictions ?? []} />
        );
      })}
    </article>
  );
}
