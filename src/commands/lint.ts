import { defineCommand } from '../cli/command.ts'
import {
  capacityFlags,
  connectionFlags,
  failOnFlags,
  impersonationFlags,
  lintFlags,
  outputFlag,
  outputFlags,
  sourceFlags,
} from '../cli/flags.ts'
import { FORMATS } from './lint/formats.ts'

const flags = {
  output: outputFlag(FORMATS),
  ...outputFlags,
  ...sourceFlags,
  ...lintFlags,
  ...failOnFlags,
  ...capacityFlags,
  ...connectionFlags,
  ...impersonationFlags,
}

export default defineCommand({
  description:
    'Judges FlowSchemas and PriorityLevelConfigurations: what the server would refuse or change, and what it accepts but the ' +
    'author cannot have meant. Given files are laid over the default objects of each target.',
  usage: ['lint [PATH...] [--target MINOR,...] [flags]', 'lint [--context NAME | --defaults MINOR] [flags]'],
  args: {},
  extraWords: true,
  flags,
  examples: [{ says: 'The files of a folder, for the newest known version', run: 'lint examples --fail-on never' }],
  run: async ({ flags, words }, io) => {
    const { lintCommand } = await import('./lint/run.ts')
    return await lintCommand({ ...flags, from: [...(flags.from ?? []), ...words] }, io)
  },
})
