import * as Args from '@oclif/core/args'
import { effectiveConfiguration } from '../apf/order.ts'
import { defineCommand, type Invocation } from '../cli/command.ts'
import { type ExitCode, usageError } from '../cli/errors.ts'
import {
  capacityFlags,
  connectionFlags,
  namespaceFlags,
  outputFlag,
  outputFlags,
  requestFlags,
  sourceFlags,
  storedFlags,
  subjectFlags,
  verifyFlags,
} from '../cli/flags.ts'
import type { Io } from '../cli/io.ts'
import { printNotes } from '../cli/messages.ts'
import { noteFairnessIsOff, offlineSource, requireObjects, withState } from '../cli/source.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import { type Asked, askOf } from './whereis/context.ts'

const REPORTER = '--as=system:serviceaccount:shop:reporter'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml', 'name', 'jsonl']),
  ...outputFlags,
  ...requestFlags,
  ...namespaceFlags,
  ...verifyFlags,
  ...subjectFlags,
  ...sourceFlags,
  ...capacityFlags,
  ...storedFlags,
  ...connectionFlags,
}

export default defineCommand({
  description:
    'The request is classified as the API server does it. Without a request the answer is everything that the subject can ' +
    'reach. --as and --as-group name the subject in question; groups follow from the name unless they are given. Without ' +
    'them the subject is the caller on a live cluster, which is asked unless --from or --defaults is given.',
  usage: [
    'whereis VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAME] [-n NAMESPACE | -A] [--as USER] [flags]',
    'whereis VERB /PATH [flags]',
    'whereis --url URL [--method METHOD] [flags]',
    'whereis --requests FILE [flags]',
    'whereis [--as USER] [flags]',
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
    {
      says: 'The same on the cluster of the current context, confirmed by the server',
      run: `whereis list pods -n shop ${REPORTER} --verify`,
      needs: 'cluster',
    },
    { says: 'Everything that you can reach yourself there', run: 'whereis', needs: 'cluster' },
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
  run: (invocation, io) => {
    checkForms(invocation)
    const purpose = { impersonation: null, readsStdin: invocation.flags.requests === '-' }
    return withState(invocation.flags, purpose, io, (state) => answer(invocation, state, io))
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
  if (flags['object-bytes'] !== undefined && flags.objects === undefined) {
    throw usageError(
      '--object-bytes without --objects',
      'the size of the objects alone tells no cost',
      'add --objects N',
    )
  }
  const offline = offlineSource(flags)
  if (flags.verify && offline !== null) {
    throw usageError(`--verify with ${offline}`, 'only a live cluster can verify an answer', 'leave one of them out')
  }
  if (flags.cost && offline !== null) {
    throw usageError(`--cost with ${offline}`, 'only a live server has metrics', 'give --objects N instead')
  }
  if (flags.requests !== undefined) {
    if (flags.requests === '-' && flags.from?.includes('-')) {
      throw usageError(
        '--requests - with --from -',
        'standard input can be read only once',
        'give one of them as a file',
      )
    }
    if (flags.verify) {
      throw usageError(
        '--verify with --requests',
        'it sends one request, or one for each region of a map',
        'give one request',
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

async function answer({ flags, words }: WhereisInvocation, state: ClusterState, io: Io): Promise<ExitCode> {
  requireObjects(state)
  if (flags.requests !== undefined) {
    const { answerRequests } = await import('./whereis/batch.ts')
    const configuration = effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules)
    return answerRequests(flags.requests, configuration, state.rules, io)
  }
  const asked = askOf(state, flags)
  const { identity, callerBy } = asked.subject
  if (callerBy !== null) {
    printNotes([`no --as given: the subject is the caller, ${identity.name} (${callerBy})`], flags.quiet, io)
  }
  const told = await withRecordedServer(asked, io)
  if (words.length === 0 && flags.url === undefined) {
    const { answerMap } = await import('./whereis/map.ts')
    return answerMap(told, io)
  }
  const { answerRequest } = await import('./whereis/request.ts')
  return answerRequest(words, told, io)
}

/** The same question with what a recording tells of its API server; the first one, where there are several. */
async function withRecordedServer(asked: Asked, io: Io): Promise<Asked> {
  const recording = asked.state.recordings?.[0]
  if (recording === undefined) return asked
  const { withRecorded } = await import('./whereis/recorded.ts')
  const told = await withRecorded(asked, recording)
  if (told.fairnessIsOff) noteFairnessIsOff(told.flags, io)
  return told
}
