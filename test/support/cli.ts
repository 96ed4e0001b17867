/** Runs the bundled program as a user's shell does. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const BIN = `${ROOT}bin/kubectl-apf`

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  stdin?: string | Uint8Array
  cwd?: string
  env?: Record<string, string>
}

/** Runs `kubectl-apf ARGS…` at the root of the repository, with no terminal and a UTF-8 locale. */
export function apf(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return run(BIN, args, options)
}

export function run(command: string, args: readonly string[], { stdin = '', cwd = ROOT, env = {} }: RunOptions = {}) {
  return new Promise<Run>((resolve, reject) => {
    const PATH = process.env['PATH'] ?? ''
    const child = spawn(command, args, { cwd, env: { PATH, LANG: 'C.UTF-8', ...env } })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk) => out.push(chunk))
    child.stderr.on('data', (chunk) => err.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
    })
    // The program may end without having read its input.
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
  })
}
