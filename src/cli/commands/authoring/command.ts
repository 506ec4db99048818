import { Command, Option } from 'commander';
import type { ProtocolImportOptions } from '../../../operations/import.ts';
import type { Carrier } from '../../../protocol/import/carriers.ts';
import { collect, type Definition, GROUP, outFolderOption } from '../../command.ts';
import type { LspOptions } from '../lsp/answers.ts';
import type { ProtocolExportOptions } from './import.ts';
import type { NewOptions } from './new-questions.ts';
import type { FmtOptions, MigrateOptions } from './rewrite.ts';

/** Repeated here so that the help loads no other file; the type rejects a missing one. */
const CARRIERS = Object.keys({
  h2: true,
  h3: true,
  h4: true,
  list: true,
  tasks: true,
  rows: true,
} satisfies Record<Carrier, true>);

export const newDefinition: Definition = (bind) => {
  const inputNames: string[] = [];
  const command = new Command('new');
  return bind<[string | undefined], NewOptions>(
    command
      .summary('create a protocol')
      .description(
        'Writes a new protocol. Asks for everything that the options leave open; with --title it asks nothing. An existing file is only overwritten with --force.',
      )
      .argument('[file]', 'the file to write; - is standard output (default: the slug with .md)')
      .option('--title <title>', 'title of the protocol')
      .option('--kind <kind>', 'checklist, runbook, release, incident or agent')
      .option('--slug <slug>', 'short name (default: derived from the title)')
      .option('--step <label>', 'label of a step, replacing the steps of the kind; repeatable', collect)
      .option('--check <command>', 'command that checks the work')
      .option('--from <source>', 'begin with a kind, a file, a stored protocol, or the protocol of a run')
      .option(
        '--input <name[=text]>',
        'input that the command reads, with its description; repeatable',
        (text, before) => {
          // `--no-input` has the same name in commander and its own meaning.
          inputNames.push(text);
          command.setOptionValue('inputNames', inputNames);
          return before;
        },
      )
      .option('--capture <name>', 'keep what the command prints for later steps, under this name')
      .option('--force', 'replace an existing file')
      .option('--no-input', 'ask nothing: if input is needed, end with 3 and list the questions')
      .helpGroup(GROUP.protocols),
    async () => (await import('./new.ts')).newCommand,
  );
};

export const fmtDefinition: Definition = (bind) =>
  bind<[string[]], FmtOptions>(
    new Command('fmt')
      .summary('format step blocks and frontmatter')
      .description(
        'Writes step blocks and frontmatter in one form: keys in order, two spaces, current spellings. Everything else stays byte for byte, and the digest of a protocol never changes. Ends with 0, with 1 when --check finds something to change, with 2 when something cannot be formatted.',
      )
      .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
      .option('--check', 'write nothing; end with 1 when something would change')
      .option('--diff', 'write nothing; show what would change')
      .option('--stdin-filename <name>', 'file name to report for standard input')
      .helpGroup(GROUP.protocols),
    async () => (await import('./rewrite.ts')).fmtCommand,
  );

export const migrateDefinition: Definition = (bind) =>
  bind<[string[]], MigrateOptions>(
    new Command('migrate')
      .summary('rewrite older proof lines and spellings')
      .description(
        'Shows how older proof lines and spellings are written today, and what needs a human decision. With --write it changes the files. Ends with 0 when nothing is left to do, 1 when something is, 2 when something cannot be read.',
      )
      .argument('[path...]', 'files, folders or quoted patterns; - is standard input (default: this folder)')
      .option('--write', 'rewrite the files, or the stored protocols')
      .option('--diff', 'show what changes (the default without --write)')
      .option(
        '--stored',
        'migrate the protocols of the store; each change is a new revision under the same URIs',
      )
      .option('--allow-weaken', 'with --stored: also migrate steps that would demand less than now')
      .option('--stdin-filename <name>', 'file name to report for standard input')
      .helpGroup(GROUP.protocols),
    async () => (await import('./rewrite.ts')).migrateCommand,
  );

export const importDefinition: Definition = (bind) =>
  bind<[string[]], ProtocolImportOptions>(
    new Command('import')
      .summary('make protocols of runbooks, checklists, skills and rules')
      .description(
        'Makes a protocol of each document and prints every decision with its reason and line. Keeps every sentence and invents no proof: only a single complete command becomes one. Ends with 0, or with 2 when a document has no procedure or the result would be invalid.',
      )
      .argument('<path...>', 'markdown files, folders or quoted patterns')
      .addOption(
        new Option('--steps <carrier>', 'what carries the steps (default: by the evidence)').choices(
          CARRIERS,
        ),
      )
      .option('--section <title>', 'import only what is below this heading')
      .addOption(outFolderOption('folder for the protocols (default: the current folder)'))
      .option('--dry-run', 'write nothing; show the decisions')
      .option('--force', 'replace files that exist')
      .helpGroup(GROUP.protocols),
    async () => (await import('./import.ts')).importCommand,
  );

export const lspDefinition: Definition = (bind) =>
  bind<[], LspOptions>(
    new Command('lsp')
      .summary('serve an editor: findings, fixes, completion, help')
      .description(
        'A language server (LSP) on standard input and output, with the rules and configuration of kairos lint. Editors start it. For example, in Neovim: vim.lsp.start({name = "kairos", cmd = {"kairos", "lsp"}})',
      )
      .option('--stdio', 'use standard input and output (the default)')
      .option('--config <file>', 'use only this configuration file')
      .option('--no-config', 'read no configuration')
      .option('--rule <id=severity>', 'error, warning, info or off for one rule; repeatable', collect)
      .helpGroup(GROUP.protocols),
    async () => (await import('../lsp/handler.ts')).lspCommand,
  );

export const exportDefinition: Definition = (bind) =>
  bind<[string[]], ProtocolExportOptions>(
    new Command('export')
      .summary('write protocols as skills or agent SOPs')
      .description(
        'Writes a protocol as other tools read it: --skill the folder SLUG with SKILL.md, --sop the file SLUG.sop.md. The text points to kairos, and the protocol itself is written next to it, so kairos import gets the same protocol back. For example: kairos export --skill release-npm-package --out .claude/skills',
      )
      .argument('<protocol...>', 'files, kairos://mem/ URIs or slugs')
      .option('--skill', 'write folders of the Agent Skills specification')
      .option('--sop', 'write agent SOPs')
      .addOption(outFolderOption('folder to write to (default: the current folder)'))
      .option('--force', 'replace files that exist')
      .helpGroup(GROUP.protocols),
    async () => (await import('./import.ts')).exportCommand,
  );
