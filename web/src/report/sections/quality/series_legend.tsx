// The legend of the marks in the scatter plot.
import { Legend } from "../../chart/marks.tsx";
import type { Series } from "./series.ts";

interface SeriesLegendProps {
  series: Series;
  unbeaten: boolean;
  published: boolean;
}

export function SeriesLegend({ series, unbeaten, published }: SeriesLegendProps) {
  return (
    <div class="quality-legends">
      {series.names.length > 0 && <Legend names={series.names} />}
      <ul class="legend">
        {unbeaten && (
          <li>
            <svg width="16" height="16" aria-hidden="true">
              <circle class="quality-unbeaten" cx="8" cy="8" r="6" />
            </svg>
            no other model beats it
          </li>
        )}
        {published && (
          <li>
            <svg width="14" height="14" aria-hidden="true">
              <path class="quality-dots" d="M7 7h0" />
            </svg>
            published
          </li>
        )}
      </ul>
    </div>
  );
}
