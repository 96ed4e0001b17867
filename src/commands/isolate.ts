import * as Args from '@oclif/core/args'
import { defineCommand } from '../cli/command.ts'
import { usageError } from '../cli/errors.ts'
import {
  capacityFlags,
  connectionFlags,
  inflightFlags,
  isolateFlags,
  namespaceFlags,
  outputFlag,
  outputFlags,
  serverFlags,
  sourceFlags,
  subjectFlags,
} from '../cli/flags.ts'
import { withServers } from '../cli/servers.ts'
import { answerIsolation } from './isolate/answer.ts'

const flags = {
  output: outputFlag(['yaml', 'json', 'name']),
  ...outputFlags,
  as: subjectFlags.as,
  'as-group': subjectFlags['as-group'],
  namespace: namespaceFlags.namespace,
  ...isolateFlags,
  ...sourceFlags,
  metrics: serverFlags.metrics,
  ...capacityFlags,
  ...inflightFlags,
  ...connectionFlags,
  'all-servers': serverFlags['all-servers'],
  apiserver: serverFlags.apiserver,
}

const CONTROLLER = '--as=system:serviceaccount:argocd:controller'

export default defineCommand({
  description:
    'The answer is YAML to review and apply: one FlowSchema, and unless --level names one, a priority level of its own. The ' +
    'comments in front say what moves, over all possible requests and identities, and who pays with which seats. Without words ' +
    'all requests of the subject are fenced in. --as names the subject; --as-group alone makes the group the subject. ' +
    'Nothing is applied.',
  usage: [
    'isolate --as USER [VERBS [RESOURCES | /PATHS]] [-n NAMESPACE] [--seats N | --share PERCENT] [flags]',
    'isolate --as-group GROUP [VERBS [RESOURCES | /PATHS]] [flags]',
    'isolate --as USER --preset leader-election [flags]',
  ],
  args: {
    verbs: Args.string({ ignoreStdin: true, description: 'verbs of the requests: list,watch; * is every verb' }),
    target: Args.string({
      ignoreStdin: true,
      description: 'resources, such as pods,deployments.apps or *; or paths, such as /metrics,/debug/*',
    }),
  },
  extraWords: true,
  flags,
  examples: [
    {
      says: 'Fence the LISTs of one ServiceAccount in',
      run: `isolate list,watch ${CONTROLLER} --seats 12 --defaults 1.37`,
    },
    {
      says: 'The same on the cluster of the current context',
      run: `isolate list,watch ${CONTROLLER} --share 2%`,
      needs: 'cluster',
    },
    { says: 'With a reason beside each field', run: `isolate ${CONTROLLER} --explain --defaults 1.37` },
    { says: 'A group, whose users wait for themselves', run: 'isolate --as-group=tenants --share 5% --defaults 1.37' },
    {
      says: 'The leases of an operator, beside those of the control plane',
      run: 'isolate --as=system:serviceaccount:shop:operator --preset leader-election --defaults 1.37',
    },
    {
      says: 'Into a level that exists',
      run: `isolate list pods ${CONTROLLER} --level global-default --defaults 1.37`,
    },
  ],
  run: (invocation, io) => {
    const { flags } = invocation
    for (const [one, other] of EXCLUSIVE) {
      if (isGiven(flags[one]) && isGiven(flags[other])) {
        throw usageError(`--${one} with --${other}`, 'they contradict each other', 'leave one of them out')
      }
    }
    return withServers(flags, { impersonation: null, readsStdin: false }, io, (seen) =>
      answerIsolation(seen, invocation, io),
    )
  },
})

const EXCLUSIVE = [
  ['seats', 'share'],
  ['queue', 'reject'],
  ['above', 'below'],
  ['level', 'seats'],
  ['level', 'share'],
  ['level', 'queue'],
  ['level', 'reject'],
  ['preset', 'level'],
  ['preset', 'seats'],
  ['preset', 'share'],
  ['preset', 'queue'],
  ['preset', 'reject'],
] as const

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false
}
