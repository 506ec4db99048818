import { v5 as uuidV5 } from 'uuid';
import { canonical, sha256Hex } from '../base/canonical.ts';
import { KairosError } from '../base/errors.ts';
import { memoize } from '../base/memoize.ts';
import type { ChainContent, ChainNode } from './model.ts';

/**
 * UUIDv5 namespace of everything this project names: itself the UUIDv5 of `kairos://mem/` in the URL namespace.
 * Changing it would rename every protocol ever minted.
 */
export const PROJECT_NAMESPACE = '9d12288b-c054-5490-8984-d78ab2d45a5e';

/** Chain of the reserved protocol *Create a protocol*. */
export const RESERVED_CREATE_ID = '00000000-0000-0000-0000-000000002001';

/** Chain of the reserved protocol *Refine a search*. */
export const RESERVED_REFINE_ID = '00000000-0000-0000-0000-000000002002';

const RESERVED_IDS: ReadonlySet<string> = new Set([RESERVED_CREATE_ID, RESERVED_REFINE_ID]);
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SLUG_MAX_LENGTH = 64;
/** Letters and digits that a slug can't contain. */
const LOST = /(?![a-z0-9])[\p{L}\p{N}]/u;
const MEM_URI = /^kairos:\/\/mem\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Whether a text is a valid slug: lower-case ASCII words joined by single hyphens, at most 64 characters. */
export function isSlug(text: string): boolean {
  return text.length <= SLUG_MAX_LENGTH && SLUG.test(text);
}

/**
 * Returns the slug of a title: NFKD, without marks, lower-case, a hyphen for everything except a-z and 0-9, at most 64
 * characters. When letters or digits are lost (for example Cyrillic or Japanese), eight hexadecimal digits of the title's
 * SHA-256 are added. They keep the slugs of different titles different.
 */
export function deriveSlug(title: string): string {
  const folded = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words = folded.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  const isWhole = words !== '' && words !== '-' && !LOST.test(folded);
  const limit = isWhole ? SLUG_MAX_LENGTH : SLUG_MAX_LENGTH - 9;
  const kept = words.slice(0, limit).replace(/-$/, '');
  return isWhole ? kept : `${kept || 'p'}-${sha256Hex(title).slice(0, 8)}`;
}

/** Names of spaces are part of every chain's identity. Returns the name, or throws INVALID_INPUT. */
export function checkSpace(space: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(space)) return space;
  throw new KairosError('INVALID_INPUT', `${JSON.stringify(space)} cannot be the name of a space`, {
    hint: 'Use letters, digits, dots, hyphens and underscores, at most 64 of them.',
  });
}

/** UUIDv5 (RFC 9562) of a chain: the same space and slug give the same id on every machine. */
export function chainId(space: string, slug: string): string {
  return uuidV5(`${space}/${slug}`, PROJECT_NAMESPACE);
}

/** Whether a chain is one of the two that are always present and cannot be changed. */
export function isReservedChain(id: string): boolean {
  return RESERVED_IDS.has(id);
}

/** UUIDv5 of a step by its 1-based index; step 1 of a reserved chain is known by the chain's own id. */
export function stepUuid(id: string, index: number): string {
  return index === 1 && RESERVED_IDS.has(id) ? id : ordinaryStepUuid(`${id} ${index}`);
}

/** Every answer names a handful of them. Marked pure, so that a bundle without identities leaves it out, and node:crypto. */
const ordinaryStepUuid = /* @__PURE__ */ memoize((name) => {
  const [id = '', index = ''] = name.split(' ');
  return uuidV5(index, uuidBytes(id));
}, 100_000);

/** `kairos://mem/<uuid>` of a step. The URI of step 1 stands for its chain. */
export function stepUri(id: string, index: number): string {
  return memUri(stepUuid(id, index));
}

/** `kairos://mem/<uuid>`. */
function memUri(uuid: string): string {
  return `kairos://mem/${uuid}`;
}

/** The lower-case UUID that a `kairos://mem/` URI names, or null when the text is not such a URI. */
export function parseMemUri(uri: string): string | null {
  return MEM_URI.exec(uri)?.[1]?.toLowerCase() ?? null;
}

/** SHA-256, in hex, over the canonical JSON (RFC 8785) of a chain's content. */
export function digest(content: ChainContent): string {
  return sha256Hex(canonical(content));
}

/** As bytes, since the reserved ids carry no version and would not pass as RFC 9562 text. */
function uuidBytes(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The content of a parsed chain, without places: the value that is stored, hashed and run. */
export function toContent(chain: ChainNode): ChainContent {
  return {
    slug: chain.slug,
    title: chain.title,
    version: chain.version ?? null,
    tags: [...chain.tags],
    ...(Object.keys(chain.inputs).length === 0 ? {} : { inputs: chain.inputs }),
    ...(chain.holds.length === 0 ? {} : { holds: chain.holds }),
    description: chain.description,
    triggers: chain.triggers?.markdown ?? null,
    completion_rule: chain.completionRule?.markdown ?? null,
    steps: chain.steps.map((step) => ({
      label: step.label,
      body: step.body,
      block: step.block?.value ?? null,
    })),
  };
}
