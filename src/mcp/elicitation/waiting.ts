import type { Asked } from './plan.ts';

/** How often a client that asked for progress hears that an answer is still waited for, in milliseconds. */
const PROGRESS_MS = 15_000;

const WORDS: Record<Asked, string> = {
  user_input: "Waiting for the user's answer.",
  sampling: "Waiting for the model's answer.",
};

/** Reports to the client from time to time that an answer is pending, until it arrives. */
export async function waiting<T>(
  asked: Asked,
  progress: (message: string) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  await progress(WORDS[asked]);
  const timer = setInterval(() => void progress(WORDS[asked]), PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
