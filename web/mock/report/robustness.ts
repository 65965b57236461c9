// Accuracy under corruptions and attacks, for two models. One has a hostile name and gaps.
import type { Sourced } from "../../src/report/document.ts";
import type {
  AttackResult,
  CorruptedResult,
  Estimate,
} from "../../src/report/schemas/described.ts";

export const hostileModel = '<img src=x onerror="window.hurt=1">\n__proto__';

export function accuracy(value: number, n = 400): Estimate {
  const half = 1.96 * Math.sqrt((value * (1 - value)) / n);
  return {
    value,
    unit: "proportion",
    n,
    interval: { low: value - half, high: value + half, level: 0.95, method: "made" },
  };
}

const missing = (unit?: "proportion"): Estimate => ({
  value: null,
  undefined: "5 of the 75 versions are missing: frost 1, frost 2, ...",
  n: 400,
  ...(unit === undefined ? {} : { unit }),
});

const corruptions = ["gaussian_noise", "zoom_blur", "fog", "pixelate", "speckle_noise"];

function corruptedModel(model: string, clean: number) {
  const versions = corruptions.flatMap((corruption, c) =>
    [1, 2, 3, 4, 5].map((severity) => ({
      corruption,
      severity,
      dataset: `val_${corruption}_${severity}`,
      accuracy: accuracy(clean - 0.02 * (c + 1) * severity),
    })),
  );
  const mean = (value: number) => ({
    accuracy: accuracy(value),
    relative: {
      value: value / clean,
      n: 400,
      interval: {
        low: value / clean - 0.03,
        high: value / clean + 0.03,
        level: 0.95,
        method: "made",
      },
    },
  });
  return {
    model,
    images: 400,
    clean: accuracy(clean),
    versions,
    corruptions: corruptions.map((corruption, c) => ({
      corruption,
      extra: c === 4,
      ...mean(clean - 0.06 * (c + 1)),
    })),
    paper: { accuracy: missing("proportion"), relative: missing() },
    present: mean(clean - 0.15),
    mce: missing(),
  };
}

export const corrupted: Sourced<CorruptedResult> = {
  source: "runs",
  result: {
    schema: "assay.corrupted_accuracy/1",
    clean: "val",
    models: [corruptedModel("resnet50", 0.7613), corruptedModel(hostileModel, 0.6625)],
    notes: [],
    warnings: [],
  },
};

export const attacked: Sourced<AttackResult> = {
  source: "attack.json",
  result: {
    schema: "assay.attack/1",
    space: "pixels",
    norm: "linf",
    seed: 0,
    paper_literal: false,
    image_form: null,
    models: ["resnet50", hostileModel].map((model) => ({
      model,
      dataset: "val",
      images: 200,
      left_out: 0,
      correct: 150,
      clean: accuracy(0.75, 200),
      attacks: ["fgsm", "pgd"].flatMap((attack, a) =>
        [1, 2, 4].map((steps) => ({
          attack,
          eps: steps / 255,
          store: `runs/val/${model}@${attack}`,
          robust: 150 - 30 * steps,
          attacked: 150,
          zero_gradients: a,
          not_finite: 0,
          ended_not_finite: 0,
          unreadable: 0,
          forward: 200,
          backward: 150,
          first_fooled_by: {},
          saved: null,
          accuracy: accuracy(0.75 - 0.15 * steps - 0.05 * a, 200),
          ratio: accuracy(1 - 0.2 * steps, 150),
        })),
      ),
      geometric_mean: [],
      examples: null,
      control: {
        verdict: model === "resnet50" ? "doubtful" : "no sign of masking",
        signs:
          model === "resnet50"
            ? [
                {
                  name: "large_budget",
                  means: "doubtful",
                  tested: true,
                  found: true,
                  text: "pgd at 32/255 leaves 9 of 16 control images (chance and three standard errors: 0.4)",
                },
              ]
            : [],
        attack: "apgd-dlr, 30 steps",
        eps: 8 / 255,
        images: 16,
        left: 3,
        left_by_control: 2,
        forward: 1200,
        backward: 350,
      },
      signs:
        model === "resnet50" ? ["fgsm at 8/255: the gradient is zero for 9 of 150 images"] : [],
      notes: [],
    })),
  },
};
