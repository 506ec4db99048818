/** The prompts in use. The bundle includes only the parts of the library that this file names. */
export { confirm } from '@inquirer/prompts';
