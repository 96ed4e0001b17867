/**
 * Every flag of every command, defined once: one name has one meaning and one arity everywhere, which is what lets flags
 * stand before the command.
 */
import * as Flags from '@oclif/core/flags'
import type { FlagInput } from '@oclif/core/interfaces'
import { BREADTHS } from '../analysis/breadth.ts'
import type { Sort } from '../analysis/seats.ts'
import type { FlagShape } from './argv.ts'

const OUTPUT = 'OUTPUT'
const CHANGE = 'CHANGE'
const SOURCE = 'SOURCE'
const SUBJECT = 'SUBJECT'
const REQUEST = 'REQUEST'
const CONNECTION = 'CONNECTION'

export const COLOURS = ['auto', 'always', 'never'] as const
const SORTS = ['pressure', 'shares', 'nominal', 'name'] as const satisfies readonly Sort[]
export const ALL_SERVERS = ['auto', 'never', 'require'] as const

const list = { multiple: true, multipleNonGreedy: true } as const

export const outputFlags = {
  'no-headers': Flags.boolean({ helpGroup: OUTPUT, description: 'print tables without their header line' }),
  quiet: Flags.boolean({ helpGroup: OUTPUT, char: 'q', description: 'no notes on stderr; errors stay' }),
  verbose: Flags.boolean({
    helpGroup: OUTPUT,
    char: 'v',
    description: 'more on stderr: sources, and every request that is sent',
  }),
  color: Flags.string({
    helpGroup: OUTPUT,
    helpValue: 'WHEN',
    options: COLOURS,
    description: 'colour: auto (on a terminal, unless NO_COLOR is set), always or never',
  }),
}

/** `-o` with the formats that a command offers; the first is the default. */
export function outputFlag<const Format extends string>(formats: readonly [Format, ...Format[]]) {
  return Flags.custom<Format>({
    helpGroup: OUTPUT,
    char: 'o',
    helpValue: formats.join('|'),
    options: formats,
    description: `format of the answer (default ${formats[0]})`,
  })()
}

export const sourceFlags = {
  from: Flags.string({
    ...list,
    helpGroup: SOURCE,
    helpValue: 'PATH',
    description: 'YAML or JSON file, folder, recording, or - for stdin; repeatable',
  }),
  defaults: Flags.string({
    helpGroup: SOURCE,
    helpValue: 'MINOR',
    description: 'the default objects of a Kubernetes minor such as 1.37, no cluster needed',
  }),
  'overlay-defaults': Flags.boolean({
    helpGroup: SOURCE,
    description: 'lay the objects of --from over the default objects',
  }),
  'server-version': Flags.string({
    helpGroup: SOURCE,
    helpValue: 'VERSION',
    description: 'version of the API server, where it cannot be read',
  }),
}

/** How a live cluster is reached, under kubectl's names and with kubectl's meaning. */
export const connectionFlags = {
  kubeconfig: Flags.string({ helpGroup: CONNECTION, helpValue: 'FILE', description: 'kubeconfig file to use alone' }),
  context: Flags.string({ helpGroup: CONNECTION, helpValue: 'NAME', description: 'context of the kubeconfig' }),
  cluster: Flags.string({ helpGroup: CONNECTION, helpValue: 'NAME', description: 'cluster of the kubeconfig' }),
  user: Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'NAME',
    description: 'user of the kubeconfig, for our own requests',
  }),
  server: Flags.string({
    helpGroup: CONNECTION,
    char: 's',
    helpValue: 'URL',
    description: 'address of the API server',
  }),
  token: Flags.string({ helpGroup: CONNECTION, helpValue: 'TOKEN', description: 'bearer token for our own requests' }),
  'client-certificate': Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'FILE',
    description: 'client certificate for our own requests',
  }),
  'client-key': Flags.string({ helpGroup: CONNECTION, helpValue: 'FILE', description: 'key of --client-certificate' }),
  'certificate-authority': Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'FILE',
    description: 'certificate authority that has signed the certificate of the server',
  }),
  'insecure-skip-tls-verify': Flags.boolean({
    helpGroup: CONNECTION,
    allowNo: true,
    description: 'do not verify the certificate of the server',
  }),
  'tls-server-name': Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'NAME',
    description: 'name that the certificate of the server is for',
  }),
  'request-timeout': Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'DURATION',
    description: 'time for one request, such as 5s (default 10s, and 30s for all); 0 is no limit',
  }),
  'connect-as': Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'USER',
    description: 'impersonate USER for our own requests',
  }),
  'connect-as-group': Flags.string({
    ...list,
    helpGroup: CONNECTION,
    helpValue: 'GROUP',
    description: 'a group to impersonate for our own requests; repeatable',
  }),
}

/** kubectl's impersonation, for commands in which nobody is in question. */
export const impersonationFlags = {
  as: Flags.string({ helpGroup: CONNECTION, helpValue: 'USER', description: 'the same as --connect-as' }),
  'as-group': Flags.string({
    ...list,
    helpGroup: CONNECTION,
    helpValue: 'GROUP',
    description: 'the same as --connect-as-group',
  }),
  'as-uid': Flags.string({ helpGroup: CONNECTION, helpValue: 'UID', description: 'UID to impersonate with --as' }),
}

export const verifyFlags = {
  verify: Flags.boolean({
    helpGroup: REQUEST,
    description: 'have a live server confirm the answer: sends a harmless read as the subject and looks at its headers',
  }),
}

/** Well above what any server has; larger numbers are typing errors, and not exact. */
const MOST_SEATS = 2 ** 31 - 1

export const capacityFlags = {
  'server-seats': Flags.integer({
    helpGroup: SOURCE,
    helpValue: 'N',
    min: 1,
    max: MOST_SEATS,
    description: 'seats of one API server (read-only + mutating in-flight limits), where they cannot be read',
  }),
}

/** What the cost of a list depends on. */
export const storedFlags = {
  cost: Flags.boolean({
    helpGroup: REQUEST,
    description: 'read the metrics of a live server for its seats and what a LIST costs; they may be large',
  }),
  objects: Flags.integer({
    helpGroup: REQUEST,
    helpValue: 'N',
    min: 0,
    description: 'objects stored of the resource, in all namespaces, for what a LIST costs',
  }),
  'object-bytes': Flags.integer({
    helpGroup: REQUEST,
    helpValue: 'N',
    min: 1,
    description: 'their average size, on which the cost depends from Kubernetes 1.34 on',
  }),
}

/** What a server's flags say, where nobody else tells. */
export const inflightFlags = {
  'max-requests-inflight': Flags.integer({
    helpGroup: SOURCE,
    helpValue: 'N',
    max: MOST_SEATS,
    description: 'that flag of the API server (default 400), for its seats',
  }),
  'max-mutating-requests-inflight': Flags.integer({
    helpGroup: SOURCE,
    helpValue: 'N',
    max: MOST_SEATS,
    description: 'that flag of the API server (default 200), for its seats',
  }),
}

/** Which API servers are asked. */
export const serverFlags = {
  metrics: Flags.string({
    ...list,
    helpGroup: SOURCE,
    helpValue: 'FILE',
    description: 'saved answer to GET /metrics of one API server; repeatable',
  }),
  'all-servers': Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'WHEN',
    options: ALL_SERVERS,
    description:
      'ask the API servers behind the address too: auto (where credentials are safe), never, or require (exit 3 without all)',
  }),
  apiserver: Flags.string({
    ...list,
    helpGroup: CONNECTION,
    helpValue: 'URL',
    description: 'ask the API server at this address; repeatable',
  }),
}

export const statusFlags = {
  require: Flags.string({
    helpGroup: OUTPUT,
    helpValue: 'MODE',
    options: ['APF'],
    description: 'exit 1 unless every API server that was asked is in this mode',
  }),
}

export const seatsFlags = {
  level: Flags.string({ ...list, helpGroup: OUTPUT, helpValue: 'NAME', description: 'this level alone; repeatable' }),
  sort: Flags.string({
    helpGroup: OUTPUT,
    helpValue: 'BY',
    options: SORTS,
    description: `order of the levels: ${SORTS.join(', ')} (default ${SORTS[0]})`,
  }),
  'add-level': Flags.string({
    ...list,
    helpGroup: SOURCE,
    helpValue: 'LEVEL',
    description: "what one more level would do: 'name=shop,shares=20,lendable=50'; repeatable",
  }),
  interval: Flags.string({
    helpGroup: CONNECTION,
    helpValue: 'DURATION',
    description: 'take two samples so far apart, such as 5s, and show rates of refusal',
  }),
}

const FENCE = 'FENCE'

export const isolateFlags = {
  seats: Flags.integer({
    helpGroup: FENCE,
    helpValue: 'N',
    min: 1,
    max: MOST_SEATS,
    description: 'seats of the new level on each API server (default: --share 2%)',
  }),
  share: Flags.string({ helpGroup: FENCE, helpValue: 'PERCENT', description: 'the same as a part of all seats: 5%' }),
  queue: Flags.boolean({ helpGroup: FENCE, description: 'what does not fit waits (the default)' }),
  reject: Flags.boolean({ helpGroup: FENCE, description: 'what does not fit is refused with 429 at once' }),
  level: Flags.string({
    ...list,
    helpGroup: FENCE,
    helpValue: 'NAME',
    description: 'send the subject into this level, which exists, instead of a new one',
  }),
  above: Flags.string({ helpGroup: FENCE, helpValue: 'NAME', description: 'stand right before this FlowSchema' }),
  below: Flags.string({ helpGroup: FENCE, helpValue: 'NAME', description: 'stand right behind this FlowSchema' }),
  preset: Flags.string({
    helpGroup: FENCE,
    helpValue: 'NAME',
    options: ['leader-election'],
    description: 'leader-election: the leases of an operator into the level of that name',
  }),
  name: Flags.string({ helpGroup: FENCE, helpValue: 'NAME', description: 'name of the new objects' }),
  explain: Flags.boolean({ helpGroup: FENCE, description: 'say beside each field of the YAML why it is so' }),
}

const EVIDENCE = 'EVIDENCE'

export const explain429Flags = {
  status: Flags.integer({
    helpGroup: EVIDENCE,
    helpValue: 'CODE',
    min: 100,
    max: 599,
    description: 'status of an answer, instead of a file or standard input',
  }),
  header: Flags.string({
    ...list,
    helpGroup: EVIDENCE,
    helpValue: "'NAME: VALUE'",
    description: 'a header of that answer; repeatable',
  }),
  body: Flags.string({ helpGroup: EVIDENCE, helpValue: 'TEXT', description: 'body of that answer' }),
  all: Flags.boolean({ helpGroup: OUTPUT, description: 'print every finding as it is read, then the summary' }),
  'exit-code': Flags.boolean({ helpGroup: OUTPUT, description: 'exit 1 if anything was found' }),
  strict: Flags.boolean({ helpGroup: OUTPUT, description: 'exit 2 if a part of the input cannot be read' }),
}

export const subjectFlags = {
  as: Flags.string({
    helpGroup: SUBJECT,
    helpValue: 'USER',
    description: 'the user in question, such as jane or system:serviceaccount:NAMESPACE:NAME',
  }),
  'as-group': Flags.string({
    ...list,
    helpGroup: SUBJECT,
    helpValue: 'GROUP',
    description: 'a group of the user; repeatable',
  }),
  'as-uid': Flags.string({ helpGroup: SUBJECT, helpValue: 'UID', description: 'UID of the user' }),
  'as-user-extra': Flags.string({
    ...list,
    helpGroup: SUBJECT,
    helpValue: 'KEY=VALUE',
    description: 'an extra field of the user; repeatable',
  }),
}

export const namespaceFlags = {
  namespace: Flags.string({
    helpGroup: REQUEST,
    char: 'n',
    helpValue: 'NAMESPACE',
    description: 'namespace of the request',
  }),
  'all-namespaces': Flags.boolean({ helpGroup: REQUEST, char: 'A', description: 'a request over all namespaces' }),
}

export const requestFlags = {
  url: Flags.string({
    helpGroup: REQUEST,
    helpValue: 'URL',
    description: 'the request as a URL, a full one from a log works',
  }),
  method: Flags.string({ helpGroup: REQUEST, helpValue: 'METHOD', description: 'HTTP method of --url (default GET)' }),
  requests: Flags.string({
    helpGroup: REQUEST,
    helpValue: 'FILE',
    description: 'many requests, one JSON object a line; - for stdin',
  }),
}

export const FAIL_ON = ['error', 'warning', 'info', 'never'] as const

/** For commands with findings. */
export const failOnFlags = {
  'fail-on': Flags.string({
    helpGroup: OUTPUT,
    helpValue: 'SEVERITY',
    options: FAIL_ON,
    description: 'least severity that makes the exit code 1: error (default), warning, info, or never',
  }),
}

export const reportFlags = {
  report: Flags.string({
    ...list,
    helpGroup: OUTPUT,
    helpValue: 'FORMAT=FILE',
    description: 'write a report into a file besides; repeatable',
  }),
}

export const configFlags = {
  config: Flags.string({
    helpGroup: SOURCE,
    helpValue: 'FILE',
    description:
      'configuration (default: .kubectl-apf.yaml here or in a folder above, up to the root of the repository)',
  }),
}

export const lintFlags = {
  target: Flags.string({
    helpGroup: SOURCE,
    helpValue: 'MINOR,...',
    description: 'minors of Kubernetes to judge for, such as 1.28,1.34',
  }),
  'upgrade-from': Flags.string({
    helpGroup: SOURCE,
    helpValue: 'MINOR',
    description:
      'with --upgrade-to: what an upgrade from this minor does to the objects (default: the version of the source)',
  }),
  'upgrade-to': Flags.string({
    helpGroup: SOURCE,
    helpValue: 'MINOR',
    description: 'judge for this minor, and say what the upgrade to it changes',
  }),
  complete: Flags.boolean({
    helpGroup: SOURCE,
    description: 'the files are all there is: a level that they do not define does not exist',
  }),
  'diff-base': Flags.string({
    helpGroup: SOURCE,
    helpValue: 'DIR|REF',
    description: 'only findings that are new against the files of a folder, or of a commit of git',
  }),
  fix: Flags.boolean({ helpGroup: OUTPUT, description: 'print the files with what can be fixed fixed' }),
  write: Flags.boolean({ helpGroup: OUTPUT, description: 'fix, and write the files' }),
}

export const auditFlags = {
  only: Flags.string({
    helpGroup: OUTPUT,
    helpValue: 'PART',
    options: ['exempt', 'dangling'] as const,
    description: 'exempt rules alone, or FlowSchemas without their level alone',
  }),
  allow: Flags.string({
    ...list,
    helpGroup: OUTPUT,
    helpValue: 'WHO|FILE',
    description:
      'who may be exempt: user:NAME, group:NAME, sa:NAMESPACE/NAME, or a file with such; exit 1 for others; repeatable',
  }),
  'max-breadth': Flags.string({
    helpGroup: OUTPUT,
    helpValue: 'CLASS',
    options: BREADTHS,
    description: 'exit 1 where a rule of ours exempts more broadly',
  }),
  budget: Flags.integer({
    helpGroup: OUTPUT,
    helpValue: 'N',
    min: 0,
    description: 'exit 1 for more than so many FlowSchemas of ours that exempt',
  }),
}

export const testFlags = {
  init: Flags.boolean({
    helpGroup: OUTPUT,
    description: 'print a file of expectations to begin with: what lands where now, a case for each rule',
  }),
  coverage: Flags.boolean({
    helpGroup: OUTPUT,
    description: 'say which FlowSchemas and rules no case is about',
  }),
  'min-coverage': Flags.integer({
    helpGroup: OUTPUT,
    helpValue: 'PERCENT',
    min: 0,
    max: 100,
    description: 'exit 1 where the cases are about less than this part of the rules',
  }),
}

const LIMITS = 'LIMITS'

/** Of `limits`, which takes those of its topic. */
export const limitsFlags = {
  config: Flags.string({
    ...list,
    helpGroup: LIMITS,
    helpValue: 'FILE',
    description: 'client, events, cilium: file with the settings, or - for stdin; repeatable',
  }),
  qps: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'N',
    description: 'client: requests each second; below 0 no limit',
  }),
  burst: Flags.string({ helpGroup: LIMITS, helpValue: 'N', description: 'client: requests that may come at once' }),
  component: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'NAME[@VERSION]',
    description: 'client: the defaults of a component, such as kubelet@1.26',
  }),
  calls: Flags.integer({
    helpGroup: LIMITS,
    helpValue: 'N',
    min: 1,
    max: 10_000_000,
    description: 'client: predict so many calls (default 100)',
  }),
  workers: Flags.integer({
    helpGroup: LIMITS,
    helpValue: 'N',
    min: 1,
    max: 10_000_000,
    description: 'client: callers at the same time within one client (default: all calls at once)',
  }),
  latency: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'DURATION',
    description: 'client: what a call takes once it is sent (default 50ms)',
  }),
  rate: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'N',
    description: 'client: calls come evenly, so many each second',
  }),
  deadline: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'DURATION',
    description: 'client: time that the context of a call leaves, such as 10s',
  }),
  clients: Flags.integer({
    helpGroup: LIMITS,
    helpValue: 'N',
    min: 1,
    max: 1_000_000,
    description: 'client: so many clients, and what they ask of each level at worst',
  }),
  'from-metrics': Flags.string({
    helpGroup: LIMITS,
    helpValue: 'FILE',
    description: 'client: saved metrics of the client, to see whether it waits',
  }),
  events: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'FILE',
    description: 'events: Event objects or lines of an audit log to play through the limits; - for stdin',
  }),
  'api-rate-limit': Flags.string({
    ...list,
    helpGroup: LIMITS,
    helpValue: 'TEXT',
    description: "cilium: that option of the agent, such as 'endpoint-create=rate-limit:2/s,rate-burst:8'; repeatable",
  }),
  'cilium-version': Flags.string({
    helpGroup: LIMITS,
    helpValue: 'MINOR',
    description: 'cilium: release whose defaults and texts are used, such as 1.16',
  }),
  'pods-per-node': Flags.integer({
    helpGroup: LIMITS,
    helpValue: 'N',
    min: 1,
    max: 100_000,
    description: 'cilium: how long so many pods that start on one node at once need',
  }),
  processing: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'DURATION',
    description: 'cilium: what the agent takes for one pod (default: its estimate)',
  }),
  manifest: Flags.string({
    helpGroup: LIMITS,
    helpValue: 'FILE',
    description: 'inflight: static pod of a kube-apiserver, or - for stdin',
  }),
  'enable-priority-and-fairness': Flags.boolean({
    helpGroup: LIMITS,
    allowNo: true,
    description: 'inflight: that flag of the API server (default true)',
  }),
  'feature-gates': Flags.string({
    helpGroup: LIMITS,
    helpValue: 'TEXT',
    description: 'inflight: that flag of the API server',
  }),
}

/** `simulate`: what is changed, and what makes it fail. */
export const simulateFlags = {
  filename: Flags.string({
    ...list,
    helpGroup: CHANGE,
    char: 'f',
    helpValue: 'PATH',
    description: 'apply the objects of a file, a folder, or - for stdin; repeatable',
  }),
  'server-side': Flags.boolean({
    helpGroup: CHANGE,
    description: 'merge them field by field into what is there, as server-side apply does',
  }),
  patch: Flags.string({
    ...list,
    helpGroup: CHANGE,
    helpValue: 'KIND/NAME=PATCH',
    description: 'patch an object: a mapping is a merge patch, a list a JSON patch; repeatable',
  }),
  'patch-type': Flags.string({
    helpGroup: CHANGE,
    helpValue: 'TYPE',
    options: ['merge', 'json'] as const,
    description: 'insist on patches of this type: merge or json',
  }),
  set: Flags.string({
    ...list,
    helpGroup: CHANGE,
    helpValue: 'KIND/NAME.FIELD=VALUE',
    description: 'set one field of an object, for a quick question; repeatable',
  }),
  delete: Flags.string({
    ...list,
    helpGroup: CHANGE,
    helpValue: 'KIND/NAME',
    description: 'delete an object, such as flowschema/NAME or plc/NAME; repeatable',
  }),
  to: Flags.string({
    ...list,
    helpGroup: CHANGE,
    helpValue: 'PATH',
    description: 'compare with a whole other state: files, folders, a recording; repeatable',
  }),
  'to-defaults': Flags.string({
    helpGroup: CHANGE,
    helpValue: 'MINOR',
    description: 'upgrade to a Kubernetes minor with its default objects; objects of your own stay',
  }),
  'to-server-version': Flags.string({
    helpGroup: CHANGE,
    helpValue: 'VERSION',
    description: 'version of the API servers after the change (default: as before)',
  }),
  identities: Flags.string({
    helpGroup: CHANGE,
    helpValue: 'WHICH',
    options: ['any', 'authenticated'] as const,
    description:
      'any: all that can reach APF, impersonated ones too (default); authenticated: ServiceAccounts carry their groups',
  }),
  'exit-code': Flags.boolean({ helpGroup: OUTPUT, description: 'exit 1 when anything moves' }),
  'fail-if': Flags.string({
    ...list,
    helpGroup: OUTPUT,
    helpValue: 'GATES',
    description:
      'exit 1 when one holds: moves, moves-system, exempt, rejected, seats-loss=20%, detours, findings; 3 when it cannot be told',
  }),
}

const ALL_FLAGS: FlagInput = {
  output: outputFlag(['table']),
  ...outputFlags,
  ...sourceFlags,
  ...connectionFlags,
  ...verifyFlags,
  ...capacityFlags,
  ...storedFlags,
  ...inflightFlags,
  ...serverFlags,
  ...statusFlags,
  ...seatsFlags,
  ...isolateFlags,
  ...explain429Flags,
  ...subjectFlags,
  ...namespaceFlags,
  ...requestFlags,
  ...simulateFlags,
  ...failOnFlags,
  ...reportFlags,
  ...configFlags,
  ...lintFlags,
  ...auditFlags,
  ...testFlags,
  ...limitsFlags,
}

/** Shapes of all flags, for the argv normaliser. */
export function flagShapes(): FlagShape[] {
  return Object.entries(ALL_FLAGS).map(([name, flag]) => {
    const kind = flag.type === 'boolean' ? 'switch' : flag.multiple ? 'list' : 'value'
    return {
      name,
      kind,
      ...(flag.char === undefined ? {} : { char: flag.char }),
      ...(flag === outputFlags.verbose ? { levels: true } : {}),
      ...(flag.type === 'boolean' && flag.allowNo ? { negatable: true } : {}),
    }
  })
}
