/**
 * Every flag of every command, defined once: one name has one meaning and one arity everywhere, which is what lets flags
 * stand before the command. kubectl's connection flags (--context, --kubeconfig, --server …) will stand here too, once
 * there is a connection that they can steer.
 */
import * as Flags from '@oclif/core/flags'
import type { FlagInput } from '@oclif/core/interfaces'
import type { FlagShape } from './argv.ts'

const OUTPUT = 'OUTPUT'
const SOURCE = 'SOURCE'
const SUBJECT = 'SUBJECT'
const REQUEST = 'REQUEST'

export const COLOURS = ['auto', 'always', 'never'] as const

const list = { multiple: true, multipleNonGreedy: true } as const

export const outputFlags = {
  'no-headers': Flags.boolean({ helpGroup: OUTPUT, description: 'print tables without their header line' }),
  quiet: Flags.boolean({ helpGroup: OUTPUT, char: 'q', description: 'no notes on stderr; errors stay' }),
  verbose: Flags.boolean({ helpGroup: OUTPUT, char: 'v', description: 'more about sources and decisions on stderr' }),
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

export const capacityFlags = {
  'server-seats': Flags.integer({
    helpGroup: SOURCE,
    helpValue: 'N',
    min: 1,
    description: 'seats of one API server (read-only + mutating in-flight limits), where they cannot be read',
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

const ALL_FLAGS: FlagInput = {
  output: outputFlag(['table']),
  ...outputFlags,
  ...sourceFlags,
  ...capacityFlags,
  ...subjectFlags,
  ...namespaceFlags,
  ...requestFlags,
}

/** Shapes of all flags, for the argv normaliser. */
export function flagShapes(): FlagShape[] {
  return Object.entries(ALL_FLAGS).map(([name, flag]) => {
    const kind = flag.type === 'boolean' ? 'switch' : flag.multiple ? 'list' : 'value'
    return flag.char === undefined ? { name, kind } : { name, kind, char: flag.char }
  })
}
