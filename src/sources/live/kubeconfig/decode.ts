/** One kubeconfig file, from its text to the entries it holds. */
import { dirname, isAbsolute, join, sep } from 'node:path'
import { load, YAMLException } from 'js-yaml'
import { invalidInput, type SourceFailure } from '../../failure.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import type { Cluster, Context, ExecPlugin, Kubeconfig, User } from './model.ts'

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

/**
 * Reads one file. Relative paths in it count from its folder.
 * @param file  absolute path
 */
export function decodeKubeconfig(text: string, file: string): Kubeconfig | SourceFailure {
  let document: unknown
  try {
    document = parse(text)
  } catch (error) {
    return invalidInput(
      `kubeconfig ${file} cannot be read`,
      syntaxFault(error),
      'mend the file or choose another with --kubeconfig',
    )
  }
  const faults: string[] = []
  const config = fieldsOf(document, '', faults)
  const folder = dirname(file)
  const decoded = {
    currentContext: config.string('current-context'),
    clusters: byName(config, 'clusters', 'cluster', faults, (cluster) => readCluster(cluster, folder)),
    users: byName(config, 'users', 'user', faults, (user) => readUser(user, folder)),
    contexts: byName(config, 'contexts', 'context', faults, readContext),
    files: [file],
  }
  const [fault] = faults
  if (fault === undefined) return decoded
  return invalidInput(`kubeconfig ${file} is malformed`, fault, 'mend the file or choose another with --kubeconfig')
}

/** A file without a document, as `/dev/null` is one, is an empty kubeconfig. */
function parse(text: string): unknown {
  if (text.trimStart().startsWith('{')) return JSON.parse(text)
  if (text.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line))) return null
  return load(text, { json: true, maxAliases: 1000 })
}

/** Without any text of the file, which may be a token. */
function syntaxFault(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'it is not valid JSON'
  const { mark } = error
  return mark === undefined
    ? 'it is not valid YAML'
    : `it is not valid YAML (line ${mark.line + 1}): ${withoutContent(error.reason)}`
}

/** Reasons of js-yaml end in the culprit: in quotes, in angle brackets, or behind a colon. */
function withoutContent(reason: string): string {
  return reason.replace(/".*"/s, '"…"').replace(/<.*/s, '…').replace(/: .*/s, '')
}

function byName<T>(
  config: Fields,
  list: string,
  member: string,
  faults: string[],
  read: (fields: Fields) => T,
): Map<string, T> {
  const named = new Map<string, T>()
  for (const entry of config.objects(list)) {
    const content = entry.object(member)
    if (content === null) continue
    const name = entry.string('name')
    if (named.has(name)) faults.push(`${list} has two entries of the name ${name}`)
    named.set(name, read(content))
  }
  return named
}

function readCluster(fields: Fields, folder: string): Cluster {
  const extension = fields.objects('extensions').find((entry) => entry.string('name') === EXEC_EXTENSION)
  return {
    server: fields.string('server'),
    certificateAuthority: pathIn(folder, fields.string('certificate-authority')),
    certificateAuthorityData: fields.string('certificate-authority-data'),
    insecureSkipTlsVerify: fields.boolean('insecure-skip-tls-verify'),
    tlsServerName: fields.string('tls-server-name'),
    proxyUrl: fields.string('proxy-url'),
    execConfig: extension?.raw('extension'),
  }
}

function readContext(fields: Fields): Context {
  return { cluster: fields.string('cluster'), user: fields.string('user'), namespace: fields.string('namespace') }
}

function readUser(fields: Fields, folder: string): User {
  const exec = fields.object('exec')
  return {
    clientCertificate: pathIn(folder, fields.string('client-certificate')),
    clientCertificateData: fields.string('client-certificate-data'),
    clientKey: pathIn(folder, fields.string('client-key')),
    clientKeyData: fields.string('client-key-data'),
    token: fields.string('token'),
    tokenFile: pathIn(folder, fields.string('tokenFile')),
    username: fields.string('username'),
    password: fields.string('password'),
    impersonate: {
      user: fields.string('as'),
      uid: fields.string('as-uid'),
      groups: fields.strings('as-groups'),
      extra: fields.stringLists('as-user-extra'),
    },
    authProvider: fields.object('auth-provider')?.string('name') ?? '',
    exec: exec === null ? null : readExec(exec, folder),
  }
}

function readExec(fields: Fields, folder: string): ExecPlugin {
  const command = fields.string('command')
  const isPath = command.includes('/') || command.includes(sep)
  return {
    // A bare name is looked up on PATH.
    command: isPath ? pathIn(folder, command) : command,
    args: fields.strings('args'),
    env: fields.objects('env').map((variable) => ({ name: variable.string('name'), value: variable.string('value') })),
    apiVersion: fields.string('apiVersion'),
    provideClusterInfo: fields.boolean('provideClusterInfo'),
    interactiveMode: fields.string('interactiveMode'),
    installHint: fields.string('installHint'),
  }
}

function pathIn(folder: string, path: string): string {
  return path === '' || isAbsolute(path) ? path : join(folder, path)
}
