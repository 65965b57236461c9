// The texts of the annotators' page. They are in English (strings/en.json) unless the server has
// texts in another language. Missing texts remain English.

import english from "../../strings/en.json";
import type { StringsReply } from "./api";

export type TextKey = Exclude<keyof typeof english, "lang" | "dir">;
export type Values = Record<string, string | number>;

export class Texts {
  readonly lang: string;
  readonly dir: "ltr" | "rtl";
  private readonly given: Record<string, string>;

  constructor(reply?: Partial<StringsReply>) {
    this.given = reply?.strings ?? {};
    this.lang = reply?.lang || english.lang;
    this.dir = (reply?.dir || english.dir) === "rtl" ? "rtl" : "ltr";
  }

  /// The text with its {placeholders} filled in. A placeholder without a value remains visible.
  text(key: TextKey, values: Values = {}): string {
    return this.raw(key).replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : whole,
    );
  }

  /// The texts before and after a placeholder, so that it can be shown in bold.
  around(key: TextKey, name: string): [string, string] {
    const text = this.raw(key);
    const at = text.indexOf(`{${name}}`);
    return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + name.length + 2)];
  }

  private raw(key: TextKey): string {
    const text = Object.hasOwn(this.given, key) ? this.given[key] : undefined;
    return typeof text === "string" && text !== "" ? text : english[key];
  }
}
