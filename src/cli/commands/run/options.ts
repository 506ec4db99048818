/** Options of `run` that also apply to `resume`. */
export interface WalkOptions {
  answers?: string;
  yes?: boolean;
  /** False: `--no-input`. */
  input?: boolean;
  /** `--input NAME=VALUE`, repeatable. */
  inputValues?: string[];
  /** A file of inputs. */
  inputs?: string;
  inputsFromEnv?: boolean;
  trust?: string[];
  workdir?: string;
  root?: string[];
  /** `--here`: move the run to this machine and, without `--workdir`, to the current directory. */
  here?: boolean;
  contain?: boolean;
}

export interface RunOptions extends WalkOptions {
  /** True: the newest open run of the protocol. A text: that run. */
  resume?: string | true;
  dryRun?: boolean;
  chain?: string;
}
