declare const __KAIROS_VERSION__: string | undefined;

/** Version of the tool as in package.json; `0.0.0-source` when run unbundled. */
export const VERSION: string = typeof __KAIROS_VERSION__ === 'string' ? __KAIROS_VERSION__ : '0.0.0-source';
