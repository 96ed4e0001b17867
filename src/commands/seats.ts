import * as Args from '@oclif/core/args'
import { defineCommand } from '../cli/command.ts'
import { usageError } from '../cli/errors.ts'
import {
  capacityFlags,
  connectionFlags,
  impersonationFlags,
  inflightFlags,
  outputFlag,
  outputFlags,
  seatsFlags,
  serverFlags,
  sourceFlags,
} from '../cli/flags.ts'
import { withServers } from '../cli/servers.ts'
import { answerSeats } from './seats/answer.ts'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml', 'name']),
  ...outputFlags,
  level: seatsFlags.level,
  sort: seatsFlags.sort,
  ...sourceFlags,
  metrics: serverFlags.metrics,
  ...capacityFlags,
  ...inflightFlags,
  'add-level': seatsFlags['add-level'],
  ...connectionFlags,
  ...impersonationFlags,
  'all-servers': serverFlags['all-servers'],
  apiserver: serverFlags.apiserver,
  interval: seatsFlags.interval,
}

export default defineCommand({
  description:
    'Every API server divides seats of its own among the levels, in proportion to their shares; a level may borrow what others ' +
    'do not use. Offline the limits are computed; of a live cluster every API server that can be asked safely tells its own, ' +
    'with what is in use, waits and was refused.',
  usage: [
    'seats [--context NAME | --defaults MINOR | --from PATH... | --metrics FILE...] [flags]',
    'seats explain LEVEL [flags]',
  ],
  args: {
    action: Args.string({ ignoreStdin: true, description: 'explain: how the numbers of one level come about' }),
    level: Args.string({ ignoreStdin: true, description: 'name of the level to explain' }),
  },
  flags,
  examples: [
    { says: 'The levels of the cluster of the current context', run: 'seats', needs: 'cluster' },
    { says: 'The same with rates of refusal', run: 'seats --interval 5s', needs: 'cluster' },
    { says: 'The default levels of a server with 3,000 seats', run: 'seats --defaults 1.37 --server-seats 3000' },
    { says: 'Of a recording of a server under load', run: 'seats --from examples/saturated' },
    { says: 'How the numbers of one level come about', run: 'seats explain workload-low --defaults 1.37' },
    {
      says: 'What one more level would take from the others',
      run: 'seats --defaults 1.37 --add-level name=shop,shares=20,lendable=50',
    },
  ],
  run: ({ flags, words }, io) => {
    const [action, level] = words
    if (action !== undefined && action !== 'explain') {
      throw usageError(`unknown word ${JSON.stringify(action)}`, 'seats explain LEVEL is the only form with words')
    }
    if (action === 'explain' && level === undefined)
      throw usageError('explain which level?', undefined, 'kubectl apf seats explain LEVEL')
    const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
    const purpose = { impersonation, readsStdin: false }
    return withServers(flags, purpose, io, (seen) => answerSeats(seen, level ?? null, flags, io))
  },
})
