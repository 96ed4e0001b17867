/**
 * Every flag of every command, defined once: one name has one meaning and one arity everywhere, which is what lets flags
 * stand before the command.
 */
import * as Flags from '@oclif/core/flags'
import type { FlagInput } from '@oclif/core/interfaces'
import type { Sort } from '../analysis/seats.ts'
import type { FlagShape } from './argv.ts'

const OUTPUT = 'OUTPUT'
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
    description: 'least severity of a finding that makes the exit code 1: error (default), warning, info, or never',
  }),
}

export const lintFlags = {
  target: Flags.string({
    helpGroup: SOURCE,
    helpValue: 'MINOR,...',
    description: 'minors of Kubernetes to judge for, such as 1.28,1.34',
  }),
  complete: Flags.boolean({
    helpGroup: SOURCE,
    description: 'the files are all there is: a level that they do not define does not exist',
  }),
  config: Flags.string({
    helpGroup: SOURCE,
    helpValue: 'FILE',
    description:
      'configuration (default: .kubectl-apf.yaml here or in a folder above, up to the root of the repository)',
  }),
  'diff-base': Flags.string({
    helpGroup: SOURCE,
    helpValue: 'DIR|REF',
    description: 'only findings that are new against the files of a folder, or of a commit of git',
  }),
  report: Flags.string({
    ...list,
    helpGroup: OUTPUT,
    helpValue: 'FORMAT=FILE',
    description: 'write a report into a file besides; repeatable',
  }),
  fix: Flags.boolean({ helpGroup: OUTPUT, description: 'print the files with what can be fixed fixed' }),
  write: Flags.boolean({ helpGroup: OUTPUT, description: 'fix, and write the files' }),
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
  ...subjectFlags,
  ...namespaceFlags,
  ...requestFlags,
  ...failOnFlags,
  ...lintFlags,
  ...testFlags,
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
