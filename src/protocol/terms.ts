/** The words that a step block chooses from. Apart from its schema, so that whoever needs only a word does not load that. */

/** From the weakest to the strongest (SPEC 4). */
export const ASSURANCES = ['claimed', 'client', 'observed', 'attested'] as const;

export const PROOF_TYPES = ['shell', 'mcp', 'user_input', 'comment'] as const;

/** What is read of frontmatter. */
export const FRONTMATTER_KEYS = ['slug', 'version', 'tags'] as const;
