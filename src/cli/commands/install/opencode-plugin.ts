/** Seconds. The limit for one hook, which normally needs a tenth of a second. */
export const HOOK_LIMIT = 30;

/** The plug-in of opencode: it hands events to `kairos hook opencode`, one process each, and obeys the answer. */
export function plugin(words: readonly string[]): string {
  return `// Written by kairos install. To remove it: kairos install opencode --uninstall --hold
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const [program, ...args] = ${JSON.stringify(words)};

/** Sends an event to kairos. Without an answer nothing changes. */
const ask = (event) =>
  new Promise((done) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const timer = setTimeout(() => child.kill(), ${HOOK_LIMIT * 1000});
    let text = '';
    child.stdout.on('data', (chunk) => { text += chunk; });
    child.stdin.on('error', () => {});
    child.on('error', () => done({ kind: 'none' }));
    child.on('close', () => {
      clearTimeout(timer);
      try {
        done(JSON.parse(text));
      } catch {
        done({ kind: 'none' });
      }
    });
    child.stdin.end(JSON.stringify(event));
  });

export const KairosHold = async ({ client, directory }) => {
  const roots = new Map();
  const calls = new Map();
  const added = new Map();
  /** The session that the user sees: subagents have their own sessions. */
  const rootOf = async (id) => {
    if (roots.has(id)) return roots.get(id);
    let root = id;
    try {
      for (let at = id; at; ) {
        const { data } = await client.session.get({ path: { id: at } });
        root = at;
        at = data?.parentID;
      }
    } catch {}
    roots.set(id, root);
    return root;
  };
  const about = async (id, cwd = directory) => ({ session_id: await rootOf(id), cwd });
  const folderOf = (args) => (typeof args?.workdir === 'string' ? resolve(directory, args.workdir) : directory);
  return {
    'chat.message': async ({ sessionID }, { parts }) => {
      const prompt = parts.filter(({ type }) => type === 'text').map(({ text }) => text).join('\\n');
      const answer = await ask({ event: 'prompt', ...(await about(sessionID)), prompt });
      if (answer.kind === 'context') added.set(sessionID, answer.text);
      else added.delete(sessionID);
    },
    'experimental.chat.system.transform': async ({ sessionID }, output) => {
      if (added.has(sessionID)) output.system.push(added.get(sessionID));
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      calls.set(callID, args);
      const answer = await ask({ event: 'before', ...(await about(sessionID, folderOf(args))), tool, args });
      if (answer.kind === 'deny' || answer.kind === 'ask') throw new Error(answer.text);
    },
    'tool.execute.after': async ({ tool, sessionID, callID }, output) => {
      const args = calls.get(callID);
      calls.delete(callID);
      const { metadata, content } = output;
      const answer = await ask({
        event: 'after',
        ...(await about(sessionID, folderOf(args))),
        tool,
        args,
        exit: metadata?.exit,
        output: output.output,
        content,
      });
      if (answer.kind === 'context' && typeof output.output === 'string') output.output += '\\n' + answer.text;
    },
    event: async ({ event }) => {
      if (event.type !== 'session.idle') return;
      const id = event.properties.sessionID;
      if ((await rootOf(id)) !== id) return;
      const answer = await ask({ event: 'idle', session_id: id, cwd: directory });
      if (answer.kind === 'sendOn')
        await client.session.prompt({ path: { id }, body: { parts: [{ type: 'text', text: answer.text }] } });
    },
  };
};
`;
}
