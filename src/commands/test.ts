import * as Args from '@oclif/core/args'
import { defineCommand } from '../cli/command.ts'
import { usageError } from '../cli/errors.ts'
import {
  capacityFlags,
  connectionFlags,
  impersonationFlags,
  outputFlag,
  outputFlags,
  reportFlags,
  sourceFlags,
  testFlags,
} from '../cli/flags.ts'
import { requireObjects, withState } from '../cli/source.ts'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml', 'junit', 'github', 'markdown']),
  ...outputFlags,
  ...testFlags,
  ...reportFlags,
  ...sourceFlags,
  ...capacityFlags,
  ...connectionFlags,
  ...impersonationFlags,
}

export default defineCommand({
  description:
    'Promises in a file, kept under version control: these requests of this caller land here, these identities are never ' +
    'exempt. Requests are tried one by one; what is said of a set (forAll) is proved for all of it, or refuted by an example. ' +
    'Exit code 1: a promise is broken; 3: one cannot be decided.',
  usage: [
    'test FILE... [--from PATH... | --defaults MINOR | --context NAME] [flags]',
    'test --init [--from PATH... | --defaults MINOR | --context NAME]',
  ],
  args: { file: Args.string({ ignoreStdin: true, description: 'expectations in YAML or JSON; - for stdin' }) },
  extraWords: true,
  flags,
  examples: [
    {
      says: 'Promises about objects that are not applied yet',
      run: 'test examples/expectations.yaml --from examples/shop.yaml --defaults 1.37',
    },
    {
      says: 'The same on the cluster of the current context',
      run: 'test examples/expectations.yaml',
      needs: 'cluster',
    },
    {
      says: 'With what no promise is about',
      run: 'test examples/expectations.yaml --from examples/shop.yaml --defaults 1.37 --min-coverage 15',
    },
    { says: 'A file to begin with: what lands where now', run: 'test --init --defaults 1.37' },
  ],
  run: ({ flags, words }, io) => {
    if (flags.init && words.length > 0) {
      throw usageError(
        '--init with a file',
        'it prints a file of expectations to begin with',
        'write test --init > FILE',
      )
    }
    if (!flags.init && words.length === 0) {
      throw usageError(
        'no file of expectations',
        undefined,
        'kubectl apf test FILE; test --init prints one to begin with',
      )
    }
    const readsStdin = words.includes('-')
    if (readsStdin && flags.from?.includes('-')) {
      throw usageError('- with --from -', 'standard input can be read only once', 'give one of them as a file')
    }
    const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
    return withState(flags, { impersonation, readsStdin }, io, async (state) => {
      requireObjects(state)
      if (flags.init) {
        const { printFirstFile } = await import('./test/init.ts')
        return printFirstFile(state, io)
      }
      const { testFiles } = await import('./test/answer.ts')
      return testFiles(words, state, flags, io)
    })
  },
})
