import { defineCommand } from '../cli/command.ts'
import { usageError } from '../cli/errors.ts'
import {
  capacityFlags,
  connectionFlags,
  impersonationFlags,
  inflightFlags,
  outputFlag,
  outputFlags,
  requestFlags,
  serverFlags,
  simulateFlags,
  sourceFlags,
} from '../cli/flags.ts'
import { withServers } from '../cli/servers.ts'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml', 'markdown']),
  ...outputFlags,
  ...simulateFlags,
  requests: requestFlags.requests,
  ...sourceFlags,
  metrics: serverFlags.metrics,
  ...capacityFlags,
  ...inflightFlags,
  ...connectionFlags,
  ...impersonationFlags,
  'all-servers': serverFlags['all-servers'],
  apiserver: serverFlags.apiserver,
}

export default defineCommand({
  description:
    'Says before a change is applied which requests of whom land elsewhere, over all possible requests and identities, with an ' +
    'example of each; who wins and who pays seats; what servers undo or bring back by themselves; and what happens on the way ' +
    'there, while one object is applied and the next is not.',
  usage: [
    'simulate -f PATH... [--server-side] [flags]',
    'simulate --set KIND/NAME.FIELD=VALUE | --patch KIND/NAME=PATCH | --delete KIND/NAME [flags]',
    'simulate --to PATH... | --to-defaults MINOR [flags]',
  ],
  args: {},
  flags,
  examples: [
    {
      says: 'What a file would change on the cluster of the current context',
      run: 'simulate -f examples/shop.yaml',
      needs: 'cluster',
    },
    { says: 'The same over default objects, with no cluster', run: 'simulate -f examples/shop.yaml --defaults 1.37' },
    {
      says: 'A quick question',
      run: 'simulate --set flowschema/service-accounts.matchingPrecedence=850 --defaults 1.37',
    },
    {
      says: 'What a deletion does',
      run: 'simulate --delete flowschema/shop-reports --from examples/shop.yaml --defaults 1.37',
    },
    { says: 'What an upgrade does to the default objects', run: 'simulate --defaults 1.33 --to-defaults 1.34' },
    {
      says: 'A gate for a pipeline, with a comment for the pull request',
      run: 'simulate -f examples/shop.yaml --defaults 1.37 --fail-if moves-system,exempt,seats-loss=20% -o markdown',
    },
  ],
  run: ({ flags }, io) => {
    const readers = [
      ...(flags.from ?? []),
      ...(flags.filename ?? []),
      ...(flags.to ?? []),
      ...(flags.requests === undefined ? [] : [flags.requests]),
    ]
    if (readers.filter((path) => path === '-').length > 1) {
      throw usageError('standard input is asked for twice', 'it can be read only once', 'give - once')
    }
    const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
    const purpose = { impersonation, readsStdin: readers.includes('-') }
    return withServers(flags, purpose, io, async (seen) => {
      const { answerSimulate } = await import('./simulate/answer.ts')
      return answerSimulate(seen, flags, io)
    })
  },
})
