/**
 * Credentials from a program of the user's, as kubectl asks for them.
 * Source: kubernetes/client-go plugin/pkg/client/auth/exec/exec.go
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { invalidInput, isSourceFailure, type SourceFailure, unanswered } from '../failure.ts'
import { fieldsOf } from './fields.ts'
import type { Cluster, ExecPlugin } from './kubeconfig/model.ts'
import type { Environment } from './kubeconfig/target.ts'
import { keyPairFault } from './tls.ts'

export interface ExecCredential {
  token: string
  /** PEM; '' without. */
  certificate: string
  key: string
}

export interface PluginEnvironment {
  env: Environment
  stdinIsTerminal: boolean
  /** Standard input is read by the command itself, as with `--from -`. */
  stdinTaken: boolean
  /** Where the plugin's own messages go: 'inherit', or a file descriptor. */
  stderr: 'inherit' | number
  /** For a plugin that nobody can talk to, in milliseconds. */
  timeoutMs: number
  /** For one that may be waiting for a person, in milliseconds. */
  interactiveTimeoutMs: number
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const MAX_OUTPUT_BYTES = 1 << 20
const OTHER_CREDENTIALS = 'run it by hand to see more, or give other credentials: --token, --user'

/**
 * Runs the plugin and reads its answer. What it prints is a secret and never repeated.
 * @param certificateAuthority  PEM of the cluster's authority, for plugins that ask to know the cluster; '' without
 */
export async function runExecPlugin(
  plugin: ExecPlugin,
  cluster: Cluster,
  certificateAuthority: string,
  environment: PluginEnvironment,
): Promise<ExecCredential | SourceFailure> {
  const interactive = interactivity(plugin, environment)
  if (isSourceFailure(interactive)) return interactive
  const info = {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: {
      interactive: interactive.possible,
      ...(plugin.provideClusterInfo ? { cluster: clusterInfo(cluster, certificateAuthority) } : {}),
    },
  }
  const output = await run(plugin, JSON.stringify(info), interactive.possible, environment)
  return typeof output === 'string' ? readCredential(plugin, output) : output
}

/** Whether the plugin may talk to a person, or why it cannot run at all. */
function interactivity(plugin: ExecPlugin, environment: PluginEnvironment): { possible: boolean } | SourceFailure {
  const { command, apiVersion } = plugin
  if (command === '')
    return invalidInput('the credential plugin of the kubeconfig has no command', '', 'name one in users[].user.exec')
  if (hasNul(plugin)) {
    return invalidInput(
      'the credential plugin of the kubeconfig cannot be run',
      'command, args or env hold a NUL character',
      'correct users[].user.exec',
    )
  }
  if (!API_VERSIONS.includes(apiVersion)) {
    const why = `apiVersion ${apiVersion || '(none)'} is not one of ${API_VERSIONS.join(', ')}`
    return invalidInput(`credential plugin ${command} cannot be used`, why, 'correct users[].user.exec.apiVersion')
  }
  const mode = plugin.interactiveMode || (apiVersion === API_VERSIONS[0] ? '' : 'IfAvailable')
  const available = environment.stdinIsTerminal && !environment.stdinTaken
  switch (mode) {
    case 'Never':
      return { possible: false }
    case 'IfAvailable':
      return { possible: available }
    case 'Always': {
      if (available) return { possible: true }
      const why = environment.stdinTaken ? 'standard input is read by this command' : 'standard input is not a terminal'
      return unanswered(
        `credential plugin ${command} wants to talk to a person`,
        why,
        'run the command in a terminal, or give --token',
      )
    }
    default: {
      const why = `interactiveMode ${mode || '(none)'} is not one of Never, IfAvailable, Always`
      return invalidInput(
        `credential plugin ${command} cannot be used`,
        why,
        'correct users[].user.exec.interactiveMode',
      )
    }
  }
}

/** No program can be given one. */
function hasNul({ command, args, env }: ExecPlugin): boolean {
  return [command, ...args, ...env.flatMap(({ name, value }) => [name, value])].some((text) => text.includes('\0'))
}

function clusterInfo(cluster: Cluster, certificateAuthority: string): object {
  return {
    server: cluster.server,
    ...(cluster.tlsServerName === '' ? {} : { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(certificateAuthority === ''
      ? {}
      : { 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') }),
    ...(cluster.proxyUrl === '' ? {} : { 'proxy-url': cluster.proxyUrl }),
    config: cluster.execConfig ?? null,
  }
}

/** Standard output of the plugin. */
function run(
  plugin: ExecPlugin,
  info: string,
  interactive: boolean,
  environment: PluginEnvironment,
): Promise<string | SourceFailure> {
  const { command } = plugin
  const limit = interactive ? environment.interactiveTimeoutMs : environment.timeoutMs
  return new Promise((resolve) => {
    const own = Object.fromEntries(plugin.env.map(({ name, value }) => [name, value]))
    const child = spawn(command, plugin.args, {
      env: { ...environment.env, ...own, KUBERNETES_EXEC_INFO: info },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', environment.stderr],
      windowsHide: true,
    })
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: string | SourceFailure) => {
      clearTimeout(timer)
      child.stdout?.destroy()
      resolve(result)
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      finish(unanswered(`credential plugin ${command} gave no answer within ${limit / 1000} s`, '', OTHER_CREDENTIALS))
    }, limit)
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_OUTPUT_BYTES) chunks.push(chunk)
      else {
        child.kill('SIGKILL')
        // What the plugin has started may hold the pipe open and go on printing.
        finish(notACredential(command, 'it printed more than 1 MiB'))
      }
    })
    child.on('error', (error: NodeJS.ErrnoException) => finish(notStarted(plugin, error)))
    child.on('close', (code, signal) => {
      if (code === 0) finish(Buffer.concat(chunks).toString('utf8'))
      else
        finish(
          unanswered(
            `credential plugin ${command} failed`,
            signal ? `ended by ${signal}` : `exit code ${code}`,
            OTHER_CREDENTIALS,
          ),
        )
    })
  })
}

function notStarted({ command, installHint }: ExecPlugin, error: NodeJS.ErrnoException): SourceFailure {
  if (error.code !== 'ENOENT') {
    const why = error.code === 'EACCES' ? 'the file is not executable' : `starting it failed (${error.code})`
    return unanswered(`credential plugin ${command} does not run`, why, OTHER_CREDENTIALS)
  }
  if (existsSync(command)) {
    const why = 'the file is there, but the program that its first line names is not'
    return unanswered(`credential plugin ${command} does not run`, why, OTHER_CREDENTIALS)
  }
  const hint = installHint.trim().split('\n', 1)[0] ?? ''
  return unanswered(
    `credential plugin ${command} is not installed`,
    'no executable of that name was found',
    hint || 'install it, or give --token',
  )
}

function readCredential({ command, apiVersion }: ExecPlugin, output: string): ExecCredential | SourceFailure {
  let answer: unknown
  try {
    answer = JSON.parse(output)
  } catch {
    return notACredential(command, output.trim() === '' ? 'it printed nothing' : 'what it printed is not JSON')
  }
  const faults: string[] = []
  const fields = fieldsOf(answer, '', faults)
  if (fields.string('kind') !== 'ExecCredential') return notACredential(command, 'its kind is not ExecCredential')
  const answered = fields.string('apiVersion')
  if (answered !== apiVersion) {
    return notACredential(command, `its apiVersion is ${shownVersion(answered)}, the kubeconfig asks for ${apiVersion}`)
  }
  const status = fields.object('status')
  if (status === null) return notACredential(command, 'it has no status')
  const credential = {
    token: status.string('token'),
    certificate: status.string('clientCertificateData'),
    key: status.string('clientKeyData'),
  }
  const [fault] = faults
  if (fault !== undefined) return notACredential(command, fault)
  if ((credential.certificate === '') !== (credential.key === '')) {
    return notACredential(command, 'of client certificate and key it has only one')
  }
  if (credential.token === '' && credential.certificate === '')
    return notACredential(command, 'it has neither token nor certificate')
  if (!isSendable(credential.token)) {
    return notACredential(command, 'its token holds blanks, line breaks or other characters that no token has')
  }
  const pairFault = credential.certificate === '' ? null : keyPairFault(credential)
  return pairFault === null ? credential : notACredential(command, pairFault)
}

/** A token with a line break inside or the like would make a broken header. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]*$/.test(token)
}

function shownVersion(apiVersion: string): string {
  if (apiVersion === '') return '(none)'
  return /^client\.authentication\.k8s\.io\/v\d{1,2}(?:(?:alpha|beta)\d{1,2})?$/.test(apiVersion)
    ? apiVersion
    : 'another one'
}

function notACredential(command: string, why: string): SourceFailure {
  return unanswered(`credential plugin ${command} gave no usable credential`, why, OTHER_CREDENTIALS)
}
