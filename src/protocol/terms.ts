/**
 * The words that a step block chooses from. Separate from its schema, so that readers of a word don't load
 * that.
 */

/** From the weakest to the strongest (SPEC 4). */
export const ASSURANCES = ['claimed', 'client', 'observed', 'attested'] as const;

export const PROOF_TYPES = ['shell', 'mcp', 'user_input', 'comment'] as const;

/** What is read of frontmatter. */
export const FRONTMATTER_KEYS = ['slug', 'version', 'tags', 'inputs'] as const;

/** What may run a command (SPEC 1.1); `sh` unless a step says otherwise. */
export const INTERPRETERS = ['sh', 'bash', 'zsh', 'python3', 'node', 'perl', 'ruby', 'pwsh'] as const;
