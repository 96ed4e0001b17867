import { defineCommand } from '../cli/command.ts'
import {
  capacityFlags,
  configFlags,
  connectionFlags,
  failOnFlags,
  impersonationFlags,
  lintFlags,
  outputFlag,
  outputFlags,
  reportFlags,
  sourceFlags,
} from '../cli/flags.ts'
import { FORMATS } from './lint/formats.ts'

const flags = {
  output: outputFlag(FORMATS),
  ...outputFlags,
  ...sourceFlags,
  ...lintFlags,
  ...reportFlags,
  ...configFlags,
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
  examples: [
    { says: 'The files of a folder, for two minors of Kubernetes', run: 'lint examples/lint --target 1.34,1.37' },
    { says: 'What a chart or a kustomization makes', run: 'lint - --target 1.37 < examples/lint/exports.yaml' },
    { says: 'With what can be fixed fixed', run: 'lint examples/lint --target 1.37 --fix' },
    {
      says: 'For code scanning, and for people besides',
      run: 'lint examples/lint --target 1.37 --report sarif=/dev/null -o markdown',
    },
    { says: 'The default objects of Kubernetes 1.37', run: 'lint --defaults 1.37 -o wide' },
    { says: 'The objects of a cluster', run: 'lint --fail-on warning', needs: 'cluster' },
  ],
  run: async ({ flags, words }, io) => {
    const { lintCommand } = await import('./lint/run.ts')
    return await lintCommand({ ...flags, from: [...(flags.from ?? []), ...words] }, io)
  },
})
