import { createPublicKey, type KeyObject } from 'node:crypto';
import { memoize } from '../../base/memoize.ts';

/** A public SSH key as kairos verifies with it. */
export interface SshKey {
  /** For example `ssh-ed25519`. */
  type: KeyType;
  /** The bytes that are base64 in the key's line and in a signature. */
  blob: Buffer;
  /** Equal for all keys that one private key can sign for, for every type, flags and comment. */
  identity: string;
  /** The private key is in a security key (`sk-…`). */
  hardware: boolean;
  /** Of a security key: what it was made for. */
  application: Buffer;
  publicKey: KeyObject;
}

const CURVES = {
  nistp256: { crv: 'P-256', bytes: 32 },
  nistp384: { crv: 'P-384', bytes: 48 },
  nistp521: { crv: 'P-521', bytes: 66 },
} as const;
type Curve = keyof typeof CURVES;

const TYPES = {
  'ssh-ed25519': readEd25519,
  'sk-ssh-ed25519@openssh.com': readEd25519,
  'ecdsa-sha2-nistp256': readEcdsa,
  'ecdsa-sha2-nistp384': readEcdsa,
  'ecdsa-sha2-nistp521': readEcdsa,
  'sk-ecdsa-sha2-nistp256@openssh.com': readEcdsa,
  'ssh-rsa': readRsa,
} as const;
export type KeyType = keyof typeof TYPES;

/** Why a text isn't a public key that can approve. `message` names the fault and what to write instead. */
class UnusableKey extends Error {
  override readonly name = 'UnusableKey';
}

/** The part of a public key line that identifies the key: type and base64, no comment. */
export function keyIdentity(line: string): string {
  return line.trim().split(/\s+/).slice(0, 2).join(' ');
}

/** The key of a `.pub` line, or the reason why it can't be used. */
export const readSshKey = memoize(readLine, 1 << 17);

function readLine(line: string): SshKey | { problem: string } {
  try {
    return parseLine(line);
  } catch (error) {
    if (error instanceof UnusableKey || error instanceof WireFault) return { problem: error.message };
    return { problem: 'it is not a valid key of its type' };
  }
}

function parseLine(line: string): SshKey {
  const [type = '', base64 = ''] = line.trim().split(/\s+/);
  if (/[\r\n]/.test(line.trim()))
    throw new UnusableKey('it has several lines; write one line of a .pub file');
  if (type.includes('-cert-v0'))
    throw new UnusableKey(
      'it is a certificate; write the public key that the certificate is for (the .pub file without -cert)',
    );
  if (!Object.hasOwn(TYPES, type))
    throw new UnusableKey(
      `its type ${JSON.stringify(type.slice(0, 40))} is not one of ${Object.keys(TYPES).join(', ')}`,
    );
  const blob = Buffer.from(base64, 'base64');
  // Only the one spelling counts: padding or letters that decode to the same bytes would make two keys of one.
  if (base64 === '' || blob.toString('base64') !== base64)
    throw new UnusableKey('its second word is not the base64 text that ssh-keygen writes');
  return parseBlob(type as KeyType, blob);
}

/** Parses the bytes of a key of this type. Throws UnusableKey. */
function parseBlob(type: KeyType, blob: Buffer): SshKey {
  const wire = new WireReader(blob);
  const inner = wire.text();
  if (inner !== type)
    throw new UnusableKey(
      `its type is ${type}, but its bytes are of type ${JSON.stringify(inner.slice(0, 40))}`,
    );
  const { identity, jwk } = TYPES[type](wire, type);
  const hardware = type.startsWith('sk-');
  const application = hardware ? wire.string() : Buffer.alloc(0);
  wire.end();
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  return { type, blob, identity, hardware, application, publicKey };
}

interface Material {
  identity: string;
  jwk: { kty: string; crv?: string; x?: string; y?: string; n?: string; e?: string };
}

function readEd25519(wire: WireReader): Material {
  const point = wire.string();
  if (point.length !== 32) throw new UnusableKey('an Ed25519 key has 32 bytes');
  // For a point and its negative one private key is known if the other is, so the sign doesn't identify the
  // owner.
  const unsigned = Buffer.from(point);
  unsigned[31] = unsigned[31]! & 0x7f;
  const identity = unsigned.toString('hex');
  if (!isPoint(unsigned))
    throw new UnusableKey('its bytes are not a point of the curve, so nothing verifies with it');
  if (WEAK_POINTS.has(identity))
    throw new UnusableKey('a signature for it can be forged: its point has a small order');
  return {
    identity: `ed25519:${identity}`,
    jwk: { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') },
  };
}

const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** Whether there is a point with this y (RFC 8032, 5.1.3): x² = (y² - 1) / (d y² + 1) has a root. */
function isPoint(y: Buffer): boolean {
  const value = BigInt(`0x${Buffer.from(y).reverse().toString('hex')}`);
  const square = (value * value) % P;
  // u / v is a square when u · v is: v² is one.
  const product = ((square - 1n + P) * ((D * square + 1n) % P)) % P;
  return product === 0n || power(product, (P - 1n) / 2n) === 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base % P, left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

/** The points of small order of Curve25519, sign cleared, in every encoding (RFC 8032, 5.1.3, read leniently). */
const WEAK_POINTS = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

function readEcdsa(wire: WireReader, type: KeyType): Material {
  const curve = wire.text() as Curve;
  if (!Object.hasOwn(CURVES, curve) || !type.includes(curve))
    throw new UnusableKey('its curve is not the one of its type');
  const { crv, bytes } = CURVES[curve];
  const point = wire.string();
  if (point.length !== 1 + 2 * bytes || point[0] !== 4)
    throw new UnusableKey(`an uncompressed point of ${curve} has ${1 + 2 * bytes} bytes and begins with 4`);
  const x = point.subarray(1, 1 + bytes);
  const y = point.subarray(1 + bytes);
  return {
    identity: `${curve}:${x.toString('hex')}`,
    jwk: { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') },
  };
}

const LEAST_RSA_BITS = 2048;
const MOST_RSA_BITS = 16_384;

function readRsa(wire: WireReader): Material {
  const e = wire.positive();
  const n = wire.positive();
  const bits = n.length * 8 - Math.clz32(n[0]!) + 24;
  if (bits < LEAST_RSA_BITS || bits > MOST_RSA_BITS)
    throw new UnusableKey(`an RSA key needs ${LEAST_RSA_BITS} to ${MOST_RSA_BITS} bits, and it has ${bits}`);
  if (e.length > 8 || (e[e.length - 1]! & 1) === 0 || (e.length === 1 && e[0]! < 3))
    throw new UnusableKey('its RSA exponent is not an odd number from 3 on');
  return {
    identity: `rsa:${n.toString('hex')}`,
    jwk: { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') },
  };
}

/** Bytes that aren't in the form of RFC 4251, section 5. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
}

/** Reads the data types of RFC 4251, section 5. Throws WireFault at what is too short, too long or badly written. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new WireFault('its bytes end too early');
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return part;
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  string(): Buffer {
    return this.take(this.uint32());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  /** A positive mpint in its shortest form, without the sign's zero byte. */
  positive(): Buffer {
    const bytes = this.string();
    const [first = 0, second = 0] = bytes;
    if (bytes.length === 0 || first >= 0x80 || (first === 0 && second < 0x80))
      throw new WireFault('a number in it is not written in its shortest form');
    return first === 0 ? bytes.subarray(1) : bytes;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new WireFault('bytes follow after its end');
  }
}
