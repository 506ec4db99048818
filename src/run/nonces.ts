/** A nonce that the run has shown. Only its SHA-256 is ever kept. */
export interface ShownNonce {
  sha256: string;
  /** Index of the station it was shown for. */
  station: number;
  /** The proof_hash to echo with it. */
  echo: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The permit whose command was shown with it; null where none was needed or had. */
  permit: string | null;
}

/** How many unexpired nonces of the pending step stay valid. */
export const NONCES_KEPT = 16;

/**
 * The nonces that a run has shown. Looking one up and forking cost the same for any number of nonces. Each decision works on
 * a fork, so a decision that isn't written changes nothing here.
 */
export class Nonces {
  readonly #shown: GrowingMap<string, ShownNonce>;
  /** Digest of the solution that spent a nonce. */
  readonly #spent: GrowingMap<string, string>;
  /** Those that a command was started with, or could have been: they stay valid until that is answered or they expire. */
  readonly #held: GrowingMap<string, true>;
  /** Those of a challenge that is not asked any more. */
  readonly #void: GrowingMap<string, true>;

  constructor(
    shown = new GrowingMap<string, ShownNonce>(),
    spent = new GrowingMap<string, string>(),
    held = new GrowingMap<string, true>(),
    voided = new GrowingMap<string, true>(),
  ) {
    this.#shown = shown;
    this.#spent = spent;
    this.#held = held;
    this.#void = voided;
  }

  fork(): Nonces {
    return new Nonces(this.#shown.fork(), this.#spent.fork(), this.#held.fork(), this.#void.fork());
  }

  get(sha256: string | null): ShownNonce | null {
    return sha256 === null ? null : (this.#shown.get(sha256) ?? null);
  }

  /** Null while unspent. */
  spentBy(nonce: ShownNonce): string | null {
    return this.#spent.get(nonce.sha256) ?? null;
  }

  isHeld(nonce: ShownNonce): boolean {
    return this.#held.get(nonce.sha256) === true;
  }

  isVoid(nonce: ShownNonce): boolean {
    return this.#void.get(nonce.sha256) === true;
  }

  /** Nothing that was shown for this station, or for one after it, can be answered any more. */
  voidFrom(station: number): void {
    for (const nonce of this.#shown.newest()) {
      if (nonce.station < station) break;
      if (!this.isVoid(nonce)) this.#void.add(nonce.sha256, true);
    }
  }

  /** The one shown last. */
  newest(): ShownNonce | null {
    return this.#shown.newest()[Symbol.iterator]().next().value ?? null;
  }

  /** The newest of a station that is pending, newest first, that `fits`: as many as stay valid. */
  valid(station: number, fits: (nonce: ShownNonce) => boolean = () => true): ShownNonce[] {
    const found: ShownNonce[] = [];
    for (const nonce of this.#shown.newest()) {
      // Stations are shown in their order.
      if (nonce.station < station || found.length === NONCES_KEPT) break;
      if (nonce.station === station && fits(nonce)) found.push(nonce);
    }
    return found;
  }

  show(nonce: ShownNonce): void {
    if (this.get(nonce.sha256) === null) this.#shown.add(nonce.sha256, nonce);
  }

  spend(sha256: string | null, solution: string): void {
    const nonce = this.get(sha256);
    if (nonce !== null && this.spentBy(nonce) === null) this.#spent.add(nonce.sha256, solution);
  }

  hold(nonce: ShownNonce): void {
    if (!this.isHeld(nonce)) this.#held.add(nonce.sha256, true);
  }
}

/**
 * A map that only grows. A fork shares what is there and sees nothing that another one adds. The fork that adds last grows
 * the shared part; one that has fallen behind copies its own part first.
 */
class GrowingMap<K, V> {
  #shared: Map<K, { at: number; value: V }>;
  #order: V[];
  #size: number;

  constructor(shared = new Map<K, { at: number; value: V }>(), order: V[] = []) {
    this.#shared = shared;
    this.#order = order;
    this.#size = order.length;
  }

  fork(): GrowingMap<K, V> {
    const fork = new GrowingMap(this.#shared, this.#order);
    fork.#size = this.#size;
    return fork;
  }

  get(key: K): V | undefined {
    const found = this.#shared.get(key);
    return found !== undefined && found.at < this.#size ? found.value : undefined;
  }

  /** Adds a new key. */
  add(key: K, value: V): void {
    if (this.#order.length !== this.#size) {
      this.#order = this.#order.slice(0, this.#size);
      this.#shared = new Map([...this.#shared].filter(([, { at }]) => at < this.#size));
    }
    this.#shared.set(key, { at: this.#size, value });
    this.#order.push(value);
    this.#size += 1;
  }

  *newest(): Generator<V> {
    for (let at = this.#size - 1; at >= 0; at -= 1) yield this.#order[at] as V;
  }
}
