/** What a challenge can ask for. */
export type ChallengeType = 'shell' | 'mcp' | 'user_input' | 'comment' | 'sampling' | 'proposal';

const DESCRIPTIONS: Record<ChallengeType, string> = {
  shell:
    'Run the command given under shell and report what it really gave: exit code, output, duration. Never report a command that was not run.',
  mcp: 'Call the tool given under mcp, with the arguments given there, and report what it really returned; success is true only if the call succeeded.',
  user_input:
    "Show the prompt given under user_input to the user and use only the user's own reply as user_input.confirmation. Never answer in the user's place.",
  comment:
    'Write a genuine account, in your own words, of how this step was done and what the result is. No filler, nothing copied.',
  sampling:
    'Answer the prompt given under sampling, following its system text, and hand in what it asks for as sampling.result.',
  proposal:
    'This step is consequential. Hand in a proposal that repeats every field set under proposal and wait for the decision; do nothing before it is allowed.',
};

/** The `description` of a challenge. Fixed text: the author's text is in the type's own object. */
export function describeChallenge(type: ChallengeType): string {
  return DESCRIPTIONS[type];
}
