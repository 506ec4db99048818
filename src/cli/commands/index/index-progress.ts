import type { IndexProgress } from '../../../operations/index-chains.ts';
import type { Call } from '../../command.ts';
import { canAnimate } from '../../terminal/progress.ts';

/** Tells on standard error how far the index is: one line that changes on a terminal, else a line for every tenth. */
export function indexProgress({ io, output }: Pick<Call<unknown[]>, 'io' | 'output'>): {
  show: (progress: IndexProgress) => void;
  end: () => void;
} {
  const animate = canAnimate(io.stderr, io.env);
  let drawn = false;
  let tenth = 0;
  return {
    show({ done, total }) {
      if (output.json) return;
      const text = `embedding  ${done}/${total}`;
      if (animate) {
        io.stderr.write(`\r\x1b[K${text}`);
        drawn = true;
        return;
      }
      const now = Math.floor((10 * done) / Math.max(1, total));
      if (now > tenth) output.note(text);
      tenth = Math.max(tenth, now);
    },
    end() {
      if (drawn) io.stderr.write('\r\x1b[K');
      drawn = false;
    },
  };
}
