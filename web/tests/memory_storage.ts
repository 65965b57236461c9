// A browser's storage in memory, that can be made to fail.

export class MemoryStorage implements Storage {
  [name: string]: unknown;

  static full(): MemoryStorage {
    const storage = new MemoryStorage();
    Object.defineProperty(storage, "setItem", {
      value: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    });
    return storage;
  }

  get length(): number {
    return Object.keys(this).length;
  }
  clear(): void {
    for (const name of Object.keys(this)) delete this[name];
  }
  getItem(name: string): string | null {
    return Object.hasOwn(this, name) ? (this[name] as string) : null;
  }
  key(index: number): string | null {
    return Object.keys(this)[index] ?? null;
  }
  removeItem(name: string): void {
    delete this[name];
  }
  setItem(name: string, value: string): void {
    this[name] = String(value);
  }
}
