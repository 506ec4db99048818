import type { Command } from 'commander';
import { escapeForTerminal } from '../../../base/escape.ts';
import { openUserStore } from '../../../host/store.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { Store } from '../../../store/port.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { complete, type Item, type Names } from './complete.ts';

/**
 * A completion script for each shell. Each script passes the words to `kairos completion complete`, which
 * prints lines of `value<TAB>description` and a last line `:files` or `:nothing`. The command line is never
 * evaluated, because pressing Tab must not run it.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# bash completion for kairos (3.2 or later)
_kairos() {
  local typed="\${COMP_LINE:0:COMP_POINT}" current begun line name
  local -a words=()
  read -ra words <<< "$typed"
  [[ $typed == *[[:space:]] ]] && words+=('')
  current="\${words[\${#words[@]}-1]}"
  # bash splits a word at = and :, and expects only the last part.
  begun="\${current%"\${current##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files)
        type compopt > /dev/null 2>&1 && compopt -o filenames
        while IFS= read -r name; do
          COMPREPLY+=("$name")
        done < <(compgen -f -- "\${current#"$begun"}")
        ;;
      :nothing) ;;
      *)
        line="\${line%%$'\\t'*}"
        COMPREPLY+=("\${line#"$begun"}")
        ;;
    esac
  done < <(kairos completion complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _kairos kairos
`,
  zsh: `#compdef kairos
_kairos() {
  local -a items
  local line files=no
  while IFS= read -r line; do
    case $line in
      :files) files=yes ;;
      :nothing) ;;
      *) items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(kairos completion complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#items} )) && _describe kairos items
  [[ $files == yes ]] && _files
}
if [[ \${funcstack[1]} == _kairos ]]; then
  _kairos "$@"
else
  compdef _kairos kairos
fi
`,
  fish: `# fish completion for kairos
function __kairos_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (kairos completion complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':nothing'
            case '*'
                echo $line
        end
    end
end
complete -c kairos -f -a '(__kairos_complete)'
`,
  powershell: `# PowerShell 7.3 or later
Register-ArgumentCompleter -Native -CommandName kairos -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        Select-Object -Skip 1 |
        ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') { $words += '' }
    kairos completion complete '--' @words 2>$null | ForEach-Object {
        if ($_.StartsWith(':')) { return }
        $value, $description = $_ -split [char]9, 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
}
`,
};

/** `kairos completion SHELL`: the shell's script, which calls `kairos completion complete`. */
export const completionCommand: Handler<[string], unknown> = async ({ args: [shell], output }) => {
  output.document(SCRIPTS[shell]!);
  return EXIT.ok;
};

/**
 * `kairos completion complete -- WORDS`: one `value<TAB>description` a line, then whether files may be
 * offered.
 */
export function completeCommand(program: Command): Handler<[string[]], unknown> {
  return async (call) => {
    const { items, files } = await complete(program, call.args[0], storeNames(call));
    const lines = items.map(({ value, description }) => `${value}\t${escapeForTerminal(description)}`);
    call.output.document(`${[...lines, files ? ':files' : ':nothing'].join('\n')}\n`);
    return EXIT.ok;
  };
}

/** Runs to choose from; older ones are typed. */
const MAX_RUNS = 50;

/**
 * Names from the store, which is only read. An unreadable store gives no names, because pressing Tab must not
 * show an error.
 */
function storeNames(call: Pick<Call<unknown[]>, 'options' | 'io'>): Names {
  const look = async (read: (store: Store, space: string) => Promise<Item[]>): Promise<Item[]> => {
    try {
      const { folders, settings, space } = await openHost(call);
      const { env, cwd } = call.io;
      const choice = { option: call.options.store, env, cwd, folders, settings };
      const store = await openUserStore(choice, { readOnly: true });
      try {
        return await read(store, space);
      } finally {
        await store.close();
      }
    } catch {
      return [];
    }
  };
  return {
    slugs: () =>
      look(async (store, space) =>
        (await store.listChains([space])).map(({ slug, title }) => ({ value: slug, description: title })),
      ),
    uris: () =>
      look(async (store, space) =>
        (await store.listChains([space])).map(({ chainId, title }) => ({
          value: stepUri(chainId, 1),
          description: title,
        })),
      ),
    runs: (openOnly) =>
      look(async (store, space) =>
        (await store.findRuns({ spaces: [space], limit: MAX_RUNS, ...(openOnly ? { open: true } : {}) })).map(
          ({ runId, slug, begunAt }) => ({ value: runId, description: `${slug}, ${begunAt}` }),
        ),
      ),
    spaces: () =>
      look(async (store) => (await store.listSpaces()).map(({ name }) => ({ value: name, description: '' }))),
  };
}
