import type { Options, Plugin } from 'prettier';
import { format } from 'prettier/standalone';

/**
 * Formats JSON or YAML as Prettier does in a markdown document, with its default options. Returns the text unchanged where Prettier can't read it.
 */
export async function prettify(text: string, language: 'json' | 'yaml'): Promise<string> {
  try {
    return (await format(text, await optionsFor(language))).replace(/\n+$/, '');
  } catch {
    return text;
  }
}

/** The plugins are loaded per language, because they take longer to load than a block to format. */
async function optionsFor(language: 'json' | 'yaml'): Promise<Options> {
  if (language === 'yaml') {
    const yaml = await import('prettier/plugins/yaml');
    return { parser: 'yaml', plugins: [yaml as unknown as Plugin] };
  }
  const [babel, estree] = await Promise.all([
    import('prettier/plugins/babel'),
    import('prettier/plugins/estree'),
  ]);
  return { parser: 'json', plugins: [babel as unknown as Plugin, estree as unknown as Plugin] };
}
