import { Command } from 'commander';
import { type Definition, GROUP, wholeNumber } from '../../command.ts';
import type { MintOptions, UpdateOptions } from './change.ts';
import type { SearchOptions } from './search.ts';
import type { DumpOptions, ShowOptions } from './show.ts';

export const searchDefinition: Definition = (bind) =>
  bind<[string[]], SearchOptions>(
    new Command('search')
      .summary('find the protocol for a task')
      .description(
        'Finds protocols by title, slug, trigger or words. Several phrasings: "ship it | release".',
      )
      .argument('<query...>', 'the task in your own words')
      .option('--limit <n>', 'how many at most, 1 to 50 (default: 10)', wholeNumber(1, 50))
      .option('--explain', 'print why each protocol matches: words, nearest title or trigger, meaning')
      .helpGroup(GROUP.walk),
    async () => (await import('./search.ts')).searchCommand,
  );

export const listDefinition: Definition = (bind) =>
  bind<[], unknown>(
    new Command('list')
      .summary('list the protocols of the space')
      .description('Lists the protocols of the space, without the two built-in ones.')
      .helpGroup(GROUP.protocols),
    async () => (await import('./list.ts')).listCommand,
  );

export const showDefinition: Definition = (bind) =>
  bind<[string], ShowOptions>(
    new Command('show')
      .summary('show a protocol and what each step asks for')
      .description('Shows a protocol with the demand of each step. Nothing is run.')
      .argument('<target>', 'a file, URI, slug or digest (write ./name for a file named like a slug)')
      .option('--revision <revision>', 'number or digest of a stored revision (default: the newest)')
      .helpGroup(GROUP.protocols),
    async () => (await import('./show.ts')).showCommand,
  );

export const dumpDefinition: Definition = (bind) =>
  bind<[string], DumpOptions>(
    new Command('dump')
      .summary('print a protocol or a step as markdown')
      .description(
        'Prints the step of a URI, or the protocol of a slug, as markdown that mints to the same content.',
      )
      .argument('<target>', 'a file, URI, slug or digest')
      .option('--protocol', 'print the whole protocol of the URI')
      .helpGroup(GROUP.protocols),
    async () => (await import('./show.ts')).dumpCommand,
  );

export const logDefinition: Definition = (bind) =>
  bind<[string], unknown>(
    new Command('log')
      .summary('list the revisions of a protocol')
      .description(
        'Lists the revisions of a protocol, newest first: number, digest, when, by whom, and weakened demands.',
      )
      .argument('<protocol>', 'a file, URI, slug or digest')
      .helpGroup(GROUP.protocols),
    async () => (await import('./show.ts')).logCommand,
  );

export const diffDefinition: Definition = (bind) =>
  bind<[string, string | undefined, string | undefined], unknown>(
    new Command('diff')
      .summary('compare two revisions of a protocol')
      .description('Prints what differs between two revisions of a protocol as a unified diff.')
      .argument('<protocol>', 'a file, URI, slug or digest')
      .argument('[a]', 'number or digest of the older revision (default: the one before the newest)')
      .argument('[b]', 'number or digest of the newer revision (default: the newest)')
      .helpGroup(GROUP.protocols),
    async () => (await import('./show.ts')).diffCommand,
  );

export const mintDefinition: Definition = (bind) =>
  bind<[string[]], MintOptions>(
    new Command('mint')
      .summary('store protocols from markdown files')
      .description(
        'Stores every protocol of the files and folders. Files of prose in a folder are skipped. Identical content changes nothing. Different content under an existing slug needs --force and becomes a new revision.',
      )
      .argument('<path...>', 'markdown files, or folders of them; - is standard input')
      .option(
        '--force',
        'make a new revision of an existing protocol, or keep one that is similar to another',
      )
      .option('--model <id>', 'the language model that wrote it')
      .option('--protocol-version <version>', 'semantic version, instead of the one in the file')
      .helpGroup(GROUP.protocols),
    async () => (await import('./change.ts')).mintCommand,
  );

export const updateDefinition: Definition = (bind) =>
  bind<[string[]], UpdateOptions>(
    new Command('update')
      .summary('change steps or whole protocols in place')
      .description(
        'Changes steps or whole protocols. URIs and slugs stay, and open runs keep the content they began with.',
      )
      .argument(
        '<uri...>',
        'kairos://mem/ URIs of steps; a file, slug, digest or the URI of the first step is the protocol',
      )
      .option('--file <path...>', 'new text, one file for each; - is standard input')
      .option('--label <label>', 'new heading of the steps')
      .option('--text <text>', 'new text of the steps; a proof that it leaves out stays')
      .option('--tags <tags>', 'new tags of the protocols, separated by commas')
      .helpGroup(GROUP.protocols),
    async () => (await import('./change.ts')).updateCommand,
  );

export const deleteDefinition: Definition = (bind) =>
  bind<[string[]], unknown>(
    new Command('delete')
      .summary('remove protocols from the list')
      .description('Removes protocols from the list. Their runs can still be shown and verified.')
      .argument('<protocol...>', 'files, slugs, digests or URIs of first steps')
      .helpGroup(GROUP.protocols),
    async () => (await import('./change.ts')).deleteCommand,
  );
