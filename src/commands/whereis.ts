import * as Args from '@oclif/core/args'
import type { EffectiveConfiguration } from '../apf/order.ts'
import { effectiveConfiguration } from '../apf/order.ts'
import { DEFAULT_SERVER_SEATS } from '../apf/seats.ts'
import { defineCommand, type Invocation } from '../cli/command.ts'
import { type ExitCode, usageError, worstExit } from '../cli/errors.ts'
import {
  capacityFlags,
  namespaceFlags,
  outputFlag,
  outputFlags,
  requestFlags,
  sourceFlags,
  subjectFlags,
} from '../cli/flags.ts'
import type { Io } from '../cli/io.ts'
import { exitCodeOf, openState } from '../cli/source.ts'
import { subjectOf } from '../cli/subject.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import type { Asked } from './whereis/context.ts'

const REPORTER = '--as=system:serviceaccount:shop:reporter'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml', 'name', 'jsonl']),
  ...outputFlags,
  ...requestFlags,
  ...namespaceFlags,
  ...subjectFlags,
  ...sourceFlags,
  ...capacityFlags,
}

export default defineCommand({
  description:
    'The request is classified as the API server does it. Without a request the answer is everything that the subject can\n' +
    'reach. --as and --as-group name the subject in question; groups follow from the name unless they are given.',
  usage: [
    'whereis VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAME] [-n NAMESPACE | -A] [--as USER] [flags]',
    'whereis VERB /PATH [flags]',
    'whereis --url URL [--method METHOD] [flags]',
    'whereis --requests FILE [flags]',
    'whereis --as USER [flags]',
  ],
  args: {
    verb: Args.string({
      ignoreStdin: true,
      description: 'verb of the API (get, list, watch, create …) or of kubectl (logs, apply …)',
    }),
    target: Args.string({
      ignoreStdin: true,
      description: 'resource, such as pods, deploy, pods/log, leases.coordination.k8s.io; or /path',
    }),
    name: Args.string({ ignoreStdin: true, description: 'name of the object' }),
  },
  extraWords: true,
  unknownFlag: 'the words of a kubectl command are understood, its flags (-f, -l, -it …) are not: leave them out',
  flags,
  examples: [
    {
      says: 'A ServiceAccount lists pods; no cluster needed',
      run: `whereis list pods -n shop ${REPORTER} --defaults 1.37`,
    },
    {
      says: 'The same with objects of your own',
      run: `whereis list pods -n shop ${REPORTER} --from examples/shop.yaml --defaults 1.37`,
    },
    { says: 'A path that is no resource', run: 'whereis get /healthz --as=jane --defaults 1.37' },
    {
      says: 'A URL from a log',
      run: "whereis --url 'https://10.0.0.1:6443/api/v1/pods?watch=true' --as=jane --defaults 1.37",
    },
    { says: 'Everything that one subject can reach', run: `whereis ${REPORTER} --defaults 1.37` },
    {
      says: 'Many requests at once, for a program',
      run: 'whereis --requests examples/requests.jsonl --defaults 1.37 -o jsonl',
    },
  ],
  async run(invocation, io) {
    checkForms(invocation)
    const state = await openState(invocation.flags, io)
    const configuration = effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules)
    return worstExit(exitCodeOf(state), await answer(invocation, state, configuration, io))
  },
})

type WhereisInvocation = Invocation<typeof flags>

/** One call asks in one form. */
function checkForms({ flags, words }: WhereisInvocation): void {
  const forms = [
    ...(words.length > 0 ? ['a request in words'] : []),
    ...(flags.url === undefined ? [] : ['--url']),
    ...(flags.requests === undefined ? [] : ['--requests']),
  ]
  if (forms.length > 1) throw usageError(`${forms.join(' and ')} together`, 'each of them is a request', 'give one')
  if (flags.method !== undefined && flags.url === undefined) throw usageError('--method without --url')
  if (flags.requests !== undefined) {
    if (flags.requests === '-' && flags.from?.includes('-')) {
      throw usageError(
        '--requests - with --from -',
        'standard input can be read only once',
        'give one of them as a file',
      )
    }
    if (flags.as !== undefined || flags['as-group'] !== undefined) {
      throw usageError('--requests with --as', 'each line names its own user', 'leave --as out')
    }
    if (!['jsonl', 'table', undefined].includes(flags.output)) {
      throw usageError(`-o ${flags.output} with --requests`, 'answers to many requests are JSON lines', 'use -o jsonl')
    }
  }
}

async function answer(
  { flags, words }: WhereisInvocation,
  state: ClusterState,
  configuration: EffectiveConfiguration,
  io: Io,
): Promise<ExitCode> {
  if (flags.requests !== undefined) {
    const { answerRequests } = await import('./whereis/batch.ts')
    return answerRequests(flags.requests, configuration, state.rules, io)
  }
  const given = flags['server-seats']
  const seats = { serverSeats: given ?? DEFAULT_SERVER_SEATS, given: given !== undefined }
  const asked: Asked = {
    subject: subjectOf(flags, state.rules),
    state,
    context: {
      configuration,
      rules: state.rules,
      complete: state.source.complete,
      serverSeats: seats.serverSeats,
    },
    seats,
    flags,
  }
  if (words.length === 0 && flags.url === undefined) {
    const { answerMap } = await import('./whereis/map.ts')
    return answerMap(asked, io)
  }
  const { answerRequest } = await import('./whereis/request.ts')
  return answerRequest(words, asked, io)
}
